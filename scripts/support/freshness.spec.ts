import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isFresh, markBuilt } from './freshness.mjs';

const MINUTE_MS = 60_000;

describe(isFresh.name, () => {
  let root: string;
  const sources = ['src', 'tsconfig.json'];
  const place = (): { root: string; sources: string[]; stamp: string } => ({ root, sources, stamp: 'dist/.built' });

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parley-build-'));
    mkdirSync(join(root, 'src', 'tasks'), { recursive: true });
    writeFileSync(join(root, 'src', 'tasks', 'task.ts'), '');
    writeFileSync(join(root, 'tsconfig.json'), '');
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('asks for a build where there is none, and for none after it', () => {
    expect(isFresh(place())).toBe(false);
    markBuilt(place(), new Date(Date.now() + MINUTE_MS));
    expect(isFresh(place())).toBe(true);
  });

  it.each([['src/tasks/task.ts'], ['src/tasks'], ['tsconfig.json']])(
    'asks for a build after a change of %s',
    (path) => {
      markBuilt(place(), new Date(Date.now() + MINUTE_MS));
      const later = new Date(Date.now() + 2 * MINUTE_MS);
      utimesSync(join(root, path), later, later);
      expect(isFresh(place())).toBe(false);
    },
  );
});
