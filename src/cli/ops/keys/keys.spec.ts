import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keysOfDataFolder } from '../../../secrets/key-file.js';
import { parseKeyRing } from '../../../secrets/key-ring.js';
import { rotateFile, rotateVariable } from './keys.js';

const FIRST = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-02-01T00:00:00Z');

describe(rotateFile.name, () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
    keysOfDataFolder(folder);
    file = join(folder, 'sealing-keys');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function ring(): { current: string; ids: string[] } {
    const { current, keys } = parseKeyRing(readFileSync(file, 'utf8'));
    return { current, ids: [...keys.keys()] };
  }

  it('first adds a key that only decrypts, so that every process can always decrypt', () => {
    rotateFile(file, 'stage', FIRST);
    expect(ring()).toEqual({ current: 'local', ids: ['local', 'k20260101000000'] });
  });

  it('then encrypts with it, and keeps the older ones', () => {
    rotateFile(file, 'stage', FIRST);
    rotateFile(file, 'promote', FIRST);
    expect(ring()).toEqual({ current: 'k20260101000000', ids: ['k20260101000000', 'local'] });
    rotateFile(file, 'stage', LATER);
    rotateFile(file, 'promote', LATER);
    expect(ring().ids).toEqual(['k20260201000000', 'k20260101000000', 'local']);
  });

  it('keeps the file closed to others', () => {
    rotateFile(file, 'stage', FIRST);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('refuses to promote an old key', () => {
    expect(() => rotateFile(file, 'promote', FIRST)).toThrow('There is no staged key in second position');
    rotateFile(file, 'stage', FIRST);
    rotateFile(file, 'promote', FIRST);
    expect(() => rotateFile(file, 'promote', LATER)).toThrow('There is no staged key in second position');
  });

  it('names a missing file', () => {
    expect(() => rotateFile(join(folder, 'none'), 'stage', FIRST)).toThrow(/Cannot read .*none: /);
  });
});

describe(rotateVariable.name, () => {
  it('prints the new value of the variable', () => {
    const key = `old:${Buffer.alloc(32, 1).toString('base64')}`;
    const { json } = rotateVariable(key, 'stage', FIRST) as { json: { SECRET_KEYS: string } };
    expect([...parseKeyRing(json.SECRET_KEYS).keys.keys()]).toEqual(['old', 'k20260101000000']);
    const promoted = rotateVariable(json.SECRET_KEYS, 'promote', FIRST) as { json: { SECRET_KEYS: string } };
    expect(parseKeyRing(promoted.json.SECRET_KEYS).current).toBe('k20260101000000');
  });
});
