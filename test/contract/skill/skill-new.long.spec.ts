import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as prettier from 'prettier';
import ts from 'typescript';

const run = promisify(execFile);
let skills: string;

beforeEach(async () => {
  await mkdir('.cache', { recursive: true });
  skills = await mkdtemp('.cache/skill-new-');
  await cp('skills', skills, { recursive: true });
});

afterEach(async () => {
  await rm(skills, { recursive: true });
});

const skillNew = (...words: readonly string[]) => run(process.execPath, ['scripts/skill-new.mjs', ...words, skills]);

/** What the compiler has to say of these files. */
function faultsIn(files: readonly string[]): readonly string[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const program = ts.createProgram(files, { ...options, noEmit: true });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('npm run skill:new', () => {
  it('writes a skill and its test, as the house wants them', async () => {
    const { stdout } = await skillNew('pack_list');
    expect(stdout).toContain('Wrote PackListSkill to ');
    const files = ['pack-list.skill.ts', 'pack-list.skill.spec.ts'].map((name) => join(skills, 'pack-list', name));
    const options = { ...(await prettier.resolveConfig('package.json')), parser: 'typescript' };
    for (const file of files) {
      const text = await readFile(file, 'utf8');
      expect(await prettier.format(text, options)).toBe(text);
    }
    expect(faultsIn(files)).toEqual([]);
  }, 60_000);

  it.each([
    [[], 'Name the skill'],
    [['Pack List'], '"Pack List" cannot be a skill\'s id'],
    [['../etc'], "cannot be a skill's id"],
    [['echo'], 'There is a skill "echo" already: echo/echo.skill.ts.'],
    [['summarize-text'], '"summarize-text" is too similar to the skill in summarize/summarize-text.skill.ts'],
  ])('refuses %j and writes nothing', async (words, reason) => {
    const before = await readdir(skills);
    await expect(skillNew(...(words.length === 0 ? [''] : words))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason),
    });
    expect(await readdir(skills)).toEqual(before);
  });
});
