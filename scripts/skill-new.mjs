/**
 * Writes a new skill: `npm run skill:new <id>`. It makes a folder with the class and its test in skills/, which the
 * service loads by itself. A second argument is another folder of skills, for tests.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ID = /^[a-z][a-z0-9_-]{0,63}$/;
const [id = '', root = fileURLToPath(new URL('../skills', import.meta.url))] = process.argv.slice(2);

const words = id.split(/[_-]+/).filter((word) => word !== '');
const className = `${words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')}Skill`;
const name = words.join('-');
const folder = join(root, name);

const fault = faultOf();
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}
mkdirSync(folder);
writeFileSync(join(folder, `${name}.skill.ts`), skillText());
writeFileSync(join(folder, `${name}.skill.spec.ts`), testText());
const shown = relative(process.cwd(), folder);
console.log(`Wrote ${className} to ${shown}/${name}.skill.ts, and its test beside it.`);
console.log(`Try it: npm run jest -- --selectProjects unit --testPathPatterns ${name}`);

function faultOf() {
  if (id === '') {
    return 'Name the skill: npm run skill:new <id>';
  }
  if (!ID.test(id)) {
    return `"${id}" cannot be a skill's id: it must be a lower case letter and up to 63 more lower case letters, digits, "_" or "-".`;
  }
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.skill.ts'));
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const taken = texts.find(({ text }) => text.includes(`id: '${id}'`));
  if (taken !== undefined) {
    return `There is a skill "${id}" already: ${taken.file}.`;
  }
  const sameClass = texts.find(({ text }) => new RegExp(`class ${className}\\b`).test(text));
  if (sameClass !== undefined || existsSync(folder)) {
    return `"${id}" is too similar to the skill in ${sameClass?.file ?? name}: both would be ${className}.`;
  }
  return undefined;
}

function skillText() {
  const title = words.join(' ').replace(/^./, (letter) => letter.toUpperCase());
  return `import { artifact, Skill, type SkillContext, type SkillEvent, type SkillHandler, working } from '@parley/sdk';

/** Answers with the text of the message. */
@Skill({
  id: '${id}',
  name: '${title}',
  description: 'Answers with the text of the message.',
  tags: ['new'],
  examples: ['Hello'],
})
export class ${className} implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield working('Listening');
    yield artifact('answer', \`You said: \${text}\`);
  }
}
`;
}

function testText() {
  return `import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { ${className} } from './${name}.skill.js';

describe(${className}.name, () => {
  it('answers with the text of the message', async () => {
    const events = await runSkill(${className}, 'Hello');
    expect(events.at(-1)).toMatchObject({ kind: 'artifact', parts: [{ text: 'You said: Hello' }] });
  });
});
`;
}
