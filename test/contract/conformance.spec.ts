import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the protocol checklist', () => {
  it('names for every row its tests, why it does not apply, or that it is not built, and the written table agrees', () => {
    const { stdout, status } = spawnSync('npm', ['run', '--silent', 'conformance', '--', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const counts = /^\d+ requirements: \d+ guarded by tests, \d+ do not apply, \d+ not built yet\.\n$/;
    expect([status, stdout]).toEqual([0, expect.stringMatching(counts)]);
  });
});
