import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { packsOfConfigFile } from './config-file.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-config-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const written = (text: string): string => {
  const file = join(folder, 'parley.config.mjs');
  writeFileSync(file, text);
  return file;
};

describe(packsOfConfigFile.name, () => {
  it('reads folders relative to the file, and packages by name', async () => {
    const file = written("export default { skills: ['./skills', '../shared', '@acme/travel'] };");
    expect(await packsOfConfigFile(file)).toBe(`${folder}/skills,${join(folder, '../shared')},@acme/travel`);
  });

  it.each([
    ['nothing', 'export const config = {};'],
    ['no list', "export default { skills: './skills' };"],
    ['a name with a comma', "export default { skills: ['./a,b'] };"],
  ])('refuses %s, with what to write', async (_what, text) => {
    await expect(packsOfConfigFile(written(text))).rejects.toThrow("must export { skills: ['./skills'] } by default");
  });

  it('says why a file cannot be read', async () => {
    await expect(packsOfConfigFile(written('throw new Error("broken");'))).rejects.toThrow('cannot be read: broken');
  });
});
