import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './app.environment.js';

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
    const wrong = { REDIS_URL: 'redis//:secret@a', PUBLIC_URL: 'https//me:secret@a', KEEP_FINISHED_SECONDS: '-7' };
    expect(() => loadConfig(wrong)).toThrow(/^(?!.*secret)PUBLIC_URL must.*REDIS_URL must.*it is "-7"/s);
  });

  it('reads members of parley.yaml', async () => {
    const PARLEY_FILE = join(folder, 'parley.yaml');
    await writeFile(
      PARLEY_FILE,
      'limits:\n  streamsOfTenant: 7\nmcp:\n  eras: modern\n  taskTools: false\nregistry:\n',
    );
    const { limits, mcp, registry } = loadConfig({ PARLEY_FILE });
    expect(limits).toMatchObject({ streamsOfTenant: 7, streamsOfProcess: 2_000 });
    expect(mcp).toMatchObject({ eras: 'modern', taskTools: false, waitMs: 50_000 });
    expect(registry.agents).toBe(1_000);
  });

  it.each([
    ['limits:\n  streamsOfTenant: many', /^limits.streamsOfTenant of parley.yaml must be a whole number from 1 to/],
    ['limits:\n  streamsOfTenants: 5', /^limits.streamsOfTenants is no setting of parley.yaml$/],
    ['limits:\n  RATE_WRITE: 1/1', /^limits.RATE_WRITE is no setting of parley.yaml$/],
    ['limit:\n  streamsOfTenant: 5', /^limit is no section of parley.yaml: it has service, redis/],
    ['limits: 5', /limits must hold settings$/],
    ['- limits', /must hold sections/],
    ['limits: {', /line \d+: it is not YAML/],
    ['models:\n  priceIn: -1', /^models.priceIn of parley.yaml must be an amount/],
    ['auth:\n  issuers: {}', /^auth.issuers of parley.yaml must be an array/],
    [
      `a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n${Array.from({ length: 200 }, (_, at) => `k${String(at)}: *b`).join('\n')}`,
      /too many aliases/,
    ],
    ['x: '.padEnd(1_048_600, 'x'), /more than 1048576 bytes/],
  ])('refuses the file %#', async (text, reason) => {
    const PARLEY_FILE = join(folder, 'wrong.yaml');
    await writeFile(PARLEY_FILE, text);
    expect(() => loadConfig({ PARLEY_FILE })).toThrow(reason);
  });

  it('refuses a file that is not there, where one is named', () => {
    expect(() => loadConfig({ PARLEY_FILE: join(folder, 'none.yaml') })).toThrow(/^PARLEY_FILE: .* cannot be read/);
  });

  it('refuses variables of versions before, with the setting that has their place', () => {
    expect(() => loadConfig({ QUOTA_CALLS_CLIENT: '5', JWT_ISSUERS: '[]' })).toThrow(
      'JWT_ISSUERS is now auth.issuers of parley.yaml\nQUOTA_CALLS_CLIENT is now limits.callsOfClient of parley.yaml',
    );
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
