import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const SCRIPT = fileURLToPath(new URL('../../scripts/conformance.mjs', import.meta.url));

describe('the protocol checklist', () => {
  it('has every row cited by a test, or listed in docs/conformance.md as not done', () => {
    const { stdout, status } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^\d+ requirements: \d+ cited by tests, \d+ not done\.\n$/),
    ]);
  });
});
