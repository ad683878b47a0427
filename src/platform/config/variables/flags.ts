import { parseArgs } from 'node:util';
import { findConfigFile, packsOfConfigFile } from '../config-file.js';

/** A flag of the command line overrides the variable of that name: `--skills echo,./my-skills` is SKILLS. */
export function readFlags(words: readonly string[] = process.argv.slice(2)): void {
  const { values } = parseArgs({ args: [...words], options: { skills: { type: 'string' } } });
  setVariables({ SKILLS: values.skills });
}

/**
 * Reads SKILLS from the config file unless the variable is set. Throws `ConfigError`.
 * @param usual the packs without a file; default: those of the service
 */
export async function readConfigFile(file = findConfigFile(), usual?: string): Promise<void> {
  if ((process.env.SKILLS ?? '') !== '') return;
  setVariables({ SKILLS: file === undefined ? usual : await packsOfConfigFile(file) });
}

/** Sets variables of this process; undefined ones keep their value. */
export function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined) process.env[name] = value;
  }
}
