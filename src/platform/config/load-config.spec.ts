import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

describe(loadConfig.name, () => {
  let folder: string;
  let file: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-config-'));
    file = join(folder, 'redis-url');
    await writeFile(file, 'redis://:secret@redis:6379\n');
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('takes empty variables for absent ones', () => {
    expect(loadConfig({ PORT: '', LOG_LEVEL: 'warn' })).toMatchObject({ PORT: 3000, LOG_LEVEL: 'warn' });
  });

  it('names every variable that cannot be used', () => {
    expect(() => loadConfig({ PORT: 'eighty', DPOP: 'yes' })).toThrow(/PORT must be .*\nDPOP must be true or false/);
  });

  it('repeats no value that may hold a secret', () => {
    const wrong = { REDIS_URL: 'redis//:secret@a', PUBLIC_URL: 'https//me:secret@a', REDIS_WAIT_MS: '7' };
    expect(() => loadConfig(wrong)).toThrow(/^(?!.*secret).*REDIS_URL must.*it is "7".*PUBLIC_URL must/s);
  });

  it('reads secrets from files', () => {
    expect(loadConfig({ REDIS_URL_FILE: file }).REDIS_URL).toBe('redis://:secret@redis:6379');
  });

  it('refuses a secret that is given twice, and a file that is not there', () => {
    expect(() => loadConfig({ REDIS_URL: 'redis://a', REDIS_URL_FILE: file })).toThrow(
      'REDIS_URL and REDIS_URL_FILE are both set',
    );
    expect(() => loadConfig({ API_KEYS_FILE: join(folder, 'none') })).toThrow(
      /^API_KEYS_FILE cannot be read: .*no such file/,
    );
  });
});
