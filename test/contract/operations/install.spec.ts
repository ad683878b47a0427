import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

describe('npm ci', () => {
  it('warns of nothing under the Node of this run', async () => {
    const { stderr } = await run('npm', ['ci', '--dry-run', '--offline', '--no-audit', '--loglevel', 'warn']);
    expect(stderr).toBe('');
  }, 60_000);
});
