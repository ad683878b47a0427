import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { temporaryFolder } from '../../../../test/kit/run/temporary-folder.mjs';
import { LiveSecret } from './live-secret.js';

describe(LiveSecret.name, () => {
  let folder: string;
  let file: string;
  let now = 0;
  const refused: unknown[] = [];

  beforeEach(() => {
    folder = temporaryFolder('secrets');
    file = join(folder, 'key');
    writeFileSync(file, 'old\n');
    refused.length = 0;
    jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => refused.push(line));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const parse = (text: string): string => {
    if (text.startsWith('!')) throw new Error('it begins with "!"');
    return text;
  };
  const secretOf = (path = file): LiveSecret<string> =>
    new LiveSecret({ name: 'KEY', text: 'old', file: path, parse }, () => now);
  /** The secret after two looks, a second apart. */
  const later = (secret: LiveSecret<string>): string | undefined => {
    const looks = [1, 2].map(() => {
      now += 1_000;
      return secret.current;
    });
    return looks.at(-1);
  };

  it('is read again once its changed file has been the same for a second (FITS-12)', () => {
    const secret = secretOf();
    writeFileSync(file, 'ne');
    expect(secret.current).toBe('old');
    now += 1_000;
    expect(secret.current).toBe('old');
    writeFileSync(file, 'new one\n');
    now += 1_000;
    expect(secret.current).toBe('old');
    now += 1_000;
    expect(secret.current).toBe('new one');
  });

  it.each([
    ['broken', '!', 'it begins with "!"'],
    ['empty', '\n', 'its file is empty'],
  ])('stays while its file is %s, which is logged once, and follows when it is mended (FITS-12)', (_is, text, why) => {
    const secret = secretOf();
    writeFileSync(file, text);
    expect(later(secret)).toBe('old');
    expect(later(secret)).toBe('old');
    expect(refused).toEqual([{ event: 'secret.refused', name: 'KEY', reason: `the secret before stays: ${why}` }]);
    writeFileSync(file, 'mended');
    expect(later(secret)).toBe('mended');
  });

  it('stays while its file is gone, and follows when it is back (FITS-12)', () => {
    const secret = secretOf();
    rmSync(file);
    expect(later(secret)).toBe('old');
    writeFileSync(file, 'back');
    expect(later(secret)).toBe('back');
  });

  it('follows the folder behind a link, as Kubernetes swaps it (FITS-12)', () => {
    for (const version of ['one', 'two']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'key'), version);
    }
    symlinkSync('one', join(folder, '..data'));
    const secret = secretOf(join(folder, '..data', 'key'));
    symlinkSync('two', join(folder, '..next'));
    renameSync(join(folder, '..next'), join(folder, '..data'));
    expect(later(secret)).toBe('two');
  });
});
