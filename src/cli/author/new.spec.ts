import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newAgent } from './new.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-new-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe(newAgent.name, () => {
  it('writes a skill with its test, and the files around it under their own names', () => {
    const target = join(folder, 'travel-agent');
    expect(newAgent(target).text).toContain('npm run dev');
    const files = [
      ...['skills/pack-list.skill.ts', 'skills/pack-list.skill.spec.ts', 'parley.config.ts', 'tsconfig.json'],
      ...['Dockerfile', '.dockerignore', '.gitignore', 'compose.yaml', '.github/workflows/ci.yml', 'README.md'],
    ];
    expect(files.filter((file) => !existsSync(join(target, file)))).toEqual([]);
    expect(readFileSync(join(target, 'README.md'), 'utf8')).toMatch(/^# travel-agent\n/);
  });

  it('never resolves "parley" from a registry', () => {
    const target = join(folder, 'travel-agent');
    newAgent(target);
    const { name, dependencies, devDependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    expect(name).toBe('travel-agent');
    expect(dependencies).toMatchObject({ '@parley/sdk': expect.stringMatching(/^file:.*packages\/sdk$/) });
    expect(dependencies.parley).toMatch(/^file:/);
    expect(Object.keys(devDependencies)).toEqual(['@types/node', 'typescript']);
  });

  it('refuses a non-empty folder, and an invalid package name', () => {
    expect(() => newAgent(join(folder, 'Travel_Agent'))).toThrow('cannot be the name of a package');
    const target = join(folder, 'taken');
    newAgent(target);
    expect(() => newAgent(target)).toThrow('is not empty');
  });
});
