import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectPackage } from './project-package.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-project-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe(projectPackage.name, () => {
  it.each([
    ['a project', '{"name":"travel-desk","description":"Books trips.","version":"1.2.0"}', 'travel-desk'],
    ['a project with odd members', '{"name":"travel-desk","description":7,"version":[]}', 'travel-desk'],
    ['a clone of Parley', '{"name":"parley","version":"0.1.0"}', undefined],
    ['a file that is no JSON', '{', undefined],
    ['a list', '[]', undefined],
  ])('names %s (A-6)', (_what, text, name) => {
    const file = join(folder, 'package.json');
    writeFileSync(file, text);
    expect(projectPackage(file)?.name).toBe(name);
  });

  it('names nothing where there is no package file', () => {
    expect(projectPackage(join(folder, 'none.json'))).toBeUndefined();
  });
});
