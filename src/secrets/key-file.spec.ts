import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keysOfDataFolder } from './key-file.js';
import { parseKeyRing } from './key-ring.js';

describe(keysOfDataFolder.name, () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('makes a key at the first start and keeps it', () => {
    const keys = keysOfDataFolder(join(folder, 'data'));
    expect(keysOfDataFolder(join(folder, 'data'))).toBe(keys);
    expect(parseKeyRing(keys).current).toBe('local');
    expect(statSync(join(folder, 'data', 'sealing-keys')).mode & 0o777).toBe(0o600);
  });

  it('refuses a file that others may read, and names it', () => {
    keysOfDataFolder(folder);
    chmodSync(join(folder, 'sealing-keys'), 0o644);
    expect(() => keysOfDataFolder(folder)).toThrow(join(folder, 'sealing-keys'));
  });

  it('names the variables when the folder is not writable', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => keysOfDataFolder(join(file, 'data'))).toThrow(/^DATA_DIR .* cannot be written .*set SECRET_KEYS/);
  });
});
