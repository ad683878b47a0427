import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { examine } from '../../../src/cli/ops/doctor/doctor.js';
import type { Finding } from '../../../src/main/finding.js';
import { announceProcess } from '../../../src/platform/redis/running-processes.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { schemaKey } from '../../../src/platform/redis/service.keys.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

interface Plant {
  readonly what: string;
  readonly finds: RegExp;
  readonly severity?: 'warn';
  readonly variables?: () => Record<string, string>;
  readonly clock?: () => number;
  /** A directive of Redis, its bad value and its good one. */
  readonly directive?: readonly [string, string, string];
}

describe(examine.name, () => {
  let redis: RedisServer;
  let client: RedisClient;
  let service: RunningApp;
  let folder: string;
  let keyless: Server;

  beforeAll(async () => {
    redis = await RedisServer.start({ config: { maxmemory: '256mb' } });
    client = connect(redis.url, 'command');
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
    await writeFile(join(folder, 'card.json'), '{"name":"Agent","capabilities":{"pushNotifications":true}}');
    keyless = createServer((_request, response) => response.end('{"keys":[]}')).listen(0, '127.0.0.1');
    await once(keyless, 'listening');
    service = await runApp({
      REDIS_URL: redis.url,
      SECRET_KEYS: key('a', 1),
      EGRESS_ALLOW: 'localhost:1=127.0.0.1/32!http',
    });
    const taskPushNotificationConfig = { url: 'http://localhost:1/', token: 'sealed' };
    const params = { ...aMessage('hello', { skillId: 'echo' }), configuration: { taskPushNotificationConfig } };
    await new RpcClient(service.url).task('SendMessage', params);
    await client.hset(schemaKey('newer'), { number: 9, oldest: 9 });
    await announceProcess(client, 'unserved', { id: '1', role: 'api', version: '1' }, 600_000);
  }, 60_000);

  afterAll(async () => {
    await service.close();
    keyless.close();
    client.disconnect();
    await redis.stop();
    await rm(folder, { recursive: true });
  });

  async function findings({ variables, clock }: Pick<Plant, 'variables' | 'clock'>): Promise<readonly Finding[]> {
    const { json } = await examine({
      ...{ url: service.url, version: '0.0.0-test', ...(clock === undefined ? {} : { clock }) },
      variables: {
        ...{ REDIS_URL: redis.url, KEY_PREFIX: service.keyPrefix, SECRET_KEYS: key('a', 1) },
        ...{ API_KEYS: `k:acme:client:a2a:tasks.read:${'0'.repeat(64)}`, ...variables?.() },
      },
    });
    return (json as { findings: readonly Finding[] }).findings.filter(({ severity }) => severity !== 'ok');
  }

  it('finds nothing wrong with a sound deployment', async () => {
    expect(await findings({})).toEqual([]);
  });

  const plants: readonly Plant[] = [
    {
      ...{ what: 'a Redis that may drop tasks', finds: /^maxmemory-policy is allkeys-lru/ },
      directive: ['maxmemory-policy', 'allkeys-lru', 'noeviction'],
    },
    {
      ...{ what: 'a Redis that forgets', finds: /^appendonly is off/, severity: 'warn' },
      directive: ['appendonly', 'no', 'yes'],
    },
    {
      ...{ what: 'a Redis that is not there', finds: /^Redis at redis:\/\/127\.0\.0\.1:1 cannot be used: .*REFUSED/ },
      variables: () => ({ REDIS_URL: 'redis://127.0.0.1:1' }),
    },
    { what: 'a clock that is wrong', finds: /differ by 60\.\d s$/, clock: () => Date.now() + 60_000 },
    {
      ...{ what: 'an issuer that is not there', finds: /^Cannot fetch the keys of http:\/\/127\.0\.0\.1:1/ },
      variables: () => ({ JWT_ISSUER: 'http://127.0.0.1:1' }),
    },
    {
      ...{ what: 'an issuer without keys', finds: /serves no usable key/ },
      variables: () => {
        const JWT_ISSUER = `http://127.0.0.1:${String((keyless.address() as AddressInfo).port)}`;
        return { JWT_ISSUER, JWKS_URI: `${JWT_ISSUER}/keys` };
      },
    },
    {
      ...{ what: 'an open service on an open address', finds: /set JWT_ISSUER/ },
      variables: () => ({ HOST: '0.0.0.0', METRICS_PORT: '9464', API_KEYS: '' }),
    },
    {
      ...{
        what: 'a card that claims what is off',
        finds: /^CARD_FILE .*pushNotifications is true, but that is off here/,
      },
      variables: () => ({ CARD_FILE: join(folder, 'card.json'), SECRET_KEYS: '', ROLE: 'worker' }),
    },
    {
      ...{
        what: 'a served card that offers what these variables do not',
        finds: /^The card has webhooks on, but these variables turn them off/,
      },
      variables: () => ({ SECRET_KEYS: '', ROLE: 'worker' }),
    },
    {
      ...{ what: 'keys that are none', finds: /^SECRET_KEYS cannot be used: Encryption key 1/ },
      variables: () => ({ SECRET_KEYS: 'secret' }),
    },
    {
      ...{ what: 'keys that sign no card', finds: /^CARD_SIGNING_KEYS cannot be used: Signing key 1 must be/ },
      variables: () => ({ CARD_SIGNING_KEYS: '{"keys":[{"kty":"RSA"}]}' }),
    },
    {
      ...{ what: 'keys that do not open what is stored', finds: /^SECRET_KEYS cannot decrypt 1 of 1 stored secrets/ },
      variables: () => ({ SECRET_KEYS: key('a', 2) }),
    },
    {
      ...{ what: 'receivers that cannot be allowed', finds: /^EGRESS_ALLOW cannot be used/ },
      variables: () => ({ EGRESS_ALLOW: 'hooks.example' }),
    },
    {
      ...{ what: 'a skill that is not there', finds: /^DEFAULT_SKILL ehco is not a skill of this service/ },
      variables: () => ({ DEFAULT_SKILL: 'ehco' }),
    },
    {
      ...{ what: 'a role that nobody runs', finds: /^No worker runs: tasks are accepted and never run/ },
      variables: () => ({ KEY_PREFIX: 'unserved' }),
    },
    {
      ...{ what: 'data of a newer version', finds: /^The stored data is of schema 9, which needs code of schema 9/ },
      variables: () => ({ KEY_PREFIX: 'newer' }),
    },
  ];

  it.each(plants)(
    'finds $what, and says how to fix it',
    async ({ directive, finds, severity = 'fail', ...given }) => {
      const [name, bad, good] = directive ?? [];
      if (name !== undefined) await redis.set(name, bad ?? '');
      const found = (await findings(given)).find(({ text }) => finds.test(text));
      if (name !== undefined) await redis.set(name, good ?? '');

      expect(found).toMatchObject({ severity, fix: expect.stringMatching(/^\w+ .{5}/) });
    },
    30_000,
  );

  it.each([
    ['SECRET_KEYS', 'k1:c4nary'],
    ['API_KEYS', 'robot:acme:robot:c4nary'],
    ['PARLEY_FILE', settingsFile({ auth: { issuers: [{ issuer: 'https://a.example', secret: 'c4nary' }] } })],
    ['PARLEY_FILE', settingsFile({ auth: { issuers: 'c4nary' } })],
    ['CARD_SIGNING_KEYS', '{"keys":[{"d":"c4nary"'],
    ['CARD_SIGNING_KEYS', '{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"c4nary"}]}'],
    ['REDIS_URL', 'redis//:c4nary@127.0.0.1'],
    ['REDIS_URL', 'redis://:c4nary/x@127.0.0.1:1'],
    ['REDIS_URL', 'redis-cluster://:12/c4nary@127.0.0.1:1'],
    ['REDIS_URL', 'redis://:c4nary@127.0.0.1:1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https//me:c4nary@traces'],
  ])('repeats nothing of a secret that is mistyped: %s=%s (A2A-SEC-07)', async (name, value) => {
    const { text, json, sick } = await examine({ version: '0.0.0-test', variables: { ROLE: 'api', [name]: value } });
    expect(sick).toBe(true);
    expect(text + JSON.stringify(json)).not.toContain('c4nary');
  });
});
