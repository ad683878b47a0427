import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { openFilesFault } from '../../../src/platform/config/open-files.js';

const COMMANDS = ['dist/main.js', 'dist/cli/parley.js start', 'dist/cli/parley.js ops doctor'];

describe('a process with too few open files', () => {
  it.each(COMMANDS)('says so before it loads the service: %s (L2)', (command) => {
    const line = `ulimit -n 256 && exec node ${command}`;
    const { status, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', timeout: 20_000 });
    expect(stderr).toMatch(/The limit of open files is 256: at least 1024 are needed \(ulimit -Hn/);
    expect(stderr).not.toContain('MODULE_NOT_FOUND');
    expect(status).not.toBe(0);
  });

  it('is none with 1,024, or where the system does not tell', () => {
    expect([openFilesFault(1_024), openFilesFault(1_048_576)]).toEqual([undefined, undefined]);
  });
});
