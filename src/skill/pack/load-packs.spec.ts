import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { loadPacks } from './load-packs.js';

let folder: string;

beforeEach(async () => {
  await mkdir('.cache', { recursive: true });
  folder = await mkdtemp(join(process.cwd(), '.cache/packs-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const aSkill = (id: string): string => `
  import { completed, Skill } from '@parley/sdk';
  export class Told { async *run() { yield completed('${id}'); } }
  Skill({ id: '${id}', name: 'Told', description: 'Told', tags: [] })(Told);
`;

const idsOf = async (...names: readonly string[]): Promise<readonly unknown[]> =>
  (await loadPacks(names)).map(({ name, skills }) => [name, skills.map(({ skill }) => skillOptionsOf(skill)?.id)]);

describe(loadPacks.name, () => {
  it('loads all included packs when none is named', async () => {
    const packs = await loadPacks();
    expect(packs.map(({ name }) => name)).toEqual([
      'concierge',
      'countdown',
      'delegate',
      'echo',
      'invoice',
      'summarize',
    ]);
  });

  it('loads the named packs in that order, each once', async () => {
    expect(await idsOf('echo', 'countdown', 'echo')).toEqual([
      ['echo', ['echo']],
      ['countdown', ['countdown']],
    ]);
  });

  it('reads skills, modules and settings from the index of a folder', async () => {
    const [pack] = await loadPacks(['invoice']);
    expect(pack?.skills).toHaveLength(5);
    expect(pack?.modules.map(({ name }) => name)).toEqual(['InvoiceModule']);
    expect(pack?.settings.map(({ name }) => name)).toEqual(['InvoiceSettings']);
  });

  it('loads every skill and agent file of an external folder without an index', async () => {
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'one.skill.js'), aSkill('one'));
    await writeFile(join(folder, 'deep/two.agent.js'), aSkill('two'));
    expect(await idsOf(folder)).toEqual([[folder, ['two', 'one']]]);
  });

  it('skips packages, build output and hidden folders in a folder', async () => {
    for (const inner of ['node_modules/other', 'dist', '.cache']) {
      await mkdir(join(folder, inner), { recursive: true });
      await writeFile(join(folder, inner, 'two.skill.js'), aSkill('two'));
    }
    await writeFile(join(folder, 'one.skill.js'), aSkill('one'));
    expect(await idsOf(folder)).toEqual([[folder, ['one']]]);
  });

  it('reads the version of a pack from the nearest package file', async () => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ version: '2.4.0', type: 'module' }));
    await mkdir(join(folder, 'skills'));
    await writeFile(join(folder, 'skills/one.skill.js'), aSkill('one'));
    const [pack] = await loadPacks([join(folder, 'skills')]);
    expect(pack?.version).toBe('2.4.0');
  });

  it.each([
    ['a folder that is not there', './nowhere', 'SKILLS names ./nowhere, but there is no folder'],
    [
      'a package that is not installed',
      '@acme/none',
      'SKILLS: the pack @acme/none cannot be loaded: it is not installed. Install',
    ],
  ])('refuses %s by name', async (_, name, why) => {
    await expect(loadPacks([name])).rejects.toThrow(why);
  });

  it('refuses a folder without a skill', async () => {
    await writeFile(join(folder, 'none.skill.js'), 'export const none = 1;');
    await expect(loadPacks([folder])).rejects.toThrow('exports no class with @Skill');
  });

  it('reports the location of an unreadable file without blaming a package', async () => {
    await writeFile(join(folder, 'torn.skill.js'), 'export class Torn {');
    await expect(loadPacks([folder])).rejects.toThrow(
      /cannot be loaded: .+\. Correct it, or leave it out of SKILLS\.$/s,
    );
  });
});
