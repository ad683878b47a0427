import { parseArgs } from 'node:util';

/** What the command line says goes before the variable of that name: `--skills echo,./my-skills` is SKILLS. */
export function readFlags(words: readonly string[] = process.argv.slice(2)): void {
  const { values } = parseArgs({ args: [...words], options: { skills: { type: 'string' } } });
  if (values.skills !== undefined) process.env.SKILLS = values.skills;
}
