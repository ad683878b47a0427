/**
 * Writes a new skill: `npm run skill:new <id>`. It makes the class, its test and the two lines of the manifest.
 * A second argument is another catalog folder, for tests.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ID = /^[a-z][a-z0-9_-]{0,63}$/;
const [id = '', folder = fileURLToPath(new URL('../src/skill/catalog', import.meta.url))] = process.argv.slice(2);

const words = id.split(/[_-]+/).filter((word) => word !== '');
const className = `${words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')}Skill`;
const file = `${words.join('-')}.skill`;
const manifest = join(folder, 'index.ts');

const fault = faultOf();
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}
const listed = withSkill(readFileSync(manifest, 'utf8'));
writeFileSync(join(folder, `${file}.ts`), skillText(), { flag: 'wx' });
writeFileSync(join(folder, `${file}.spec.ts`), testText(), { flag: 'wx' });
writeFileSync(manifest, listed);
const shown = relative(process.cwd(), folder);
console.log(`Wrote ${shown}/${file}.ts and its test, and listed ${className} in ${shown}/index.ts.`);
console.log(`Try it: npm test -- --testPathPatterns ${file}`);

function faultOf() {
  if (id === '') {
    return 'Name the skill: npm run skill:new <id>';
  }
  if (!ID.test(id)) {
    return `"${id}" cannot be a skill's id: it must be a lower case letter and up to 63 more lower case letters, digits, "_" or "-".`;
  }
  const skills = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.skill.ts'));
  const texts = skills.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const taken = texts.find(({ text }) => text.includes(`id: '${id}'`));
  if (taken !== undefined) {
    return `There is a skill "${id}" already: ${taken.name}.`;
  }
  const sameClass = texts.find(({ text }) => new RegExp(`class ${className}\\b`).test(text));
  if (sameClass !== undefined || existsSync(join(folder, `${file}.ts`))) {
    return `"${id}" is too like the skill in ${sameClass?.name ?? `${file}.ts`}: both would be ${className}.`;
  }
  return undefined;
}

/** The manifest with one more import, in the order of the files, and one more line in the list. */
function withSkill(text) {
  const added = `import { ${className} } from './${file}.js';`;
  const lines = text.split('\n');
  const imports = lines.filter((line) => /^import \{.*\} from '\.\//.test(line));
  const end = lines.indexOf('];');
  if (end === -1 || imports.length === 0) {
    console.error(`${manifest} does not look as it should: it must import skills and end its list with a line "];".`);
    process.exit(1);
  }
  lines.splice(end, 0, `  ${className},`);
  const next = imports.find((line) => pathOf(line) > pathOf(added));
  lines.splice(next === undefined ? lines.indexOf(imports.at(-1)) + 1 : lines.indexOf(next), 0, added);
  return lines.join('\n');
}

function pathOf(line) {
  return line.slice(line.indexOf("'"));
}

function skillText() {
  const name = words.join(' ').replace(/^./, (letter) => letter.toUpperCase());
  return `import { artifact, type SkillEvent, working } from '../events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill.js';

/** Answers with what it was told. */
@Skill({
  id: '${id}',
  name: '${name}',
  description: 'Answers with what it was told.',
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
import { runSkill } from '../testing/run-skill.js';
import { ${className} } from './${file}.js';

describe(${className}.name, () => {
  it('answers with what it was told', async () => {
    const events = await runSkill(${className}, 'Hello');
    expect(events.at(-1)).toMatchObject({ kind: 'artifact', parts: [{ text: 'You said: Hello' }] });
  });
});
`;
}
