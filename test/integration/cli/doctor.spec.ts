import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { checkCard } from '../../../src/cli/ops/doctor/card-check.js';
import type { Finding } from '../../../src/main/finding.js';
import { checkEmbeddedRedis } from '../../../src/cli/ops/doctor/embedded-redis-check.js';
import { checkIssuers } from '../../../src/cli/ops/doctor/issuer-check.js';
import { checkRedis } from '../../../src/cli/ops/doctor/redis-check.js';
import { startEmbeddedRedis } from '../../../src/platform/redis/embedded/embedded-redis.js';
import { runningServerUrl } from '../../../src/platform/redis/embedded/running-server.js';
import { RedisServer } from '../../kit/redis/redis-server.js';

const HERE = 'http://localhost:3000';

function illOf(findings: readonly Finding[]): readonly Finding[] {
  const ill = findings.filter(({ severity }) => severity !== 'ok');
  for (const { fix } of ill) expect(fix).toMatch(/\w{3}/);
  return ill;
}

describe(checkRedis.name, () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start({ config: { maxmemory: '64mb' } });
  }, 60_000);

  afterAll(async () => {
    await redis.stop();
  });

  it('finds nothing wrong with a fit Redis', async () => {
    const findings = await checkRedis(redis.url, { keyPrefix: 'parley' });
    expect(illOf(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(['redis', 'clock']);
  });

  it.each([
    ['maxmemory-policy', 'allkeys-lru', 'noeviction', 'fail', 'maxmemory-policy is allkeys-lru'],
    ['appendonly', 'no', 'yes', 'warn', 'appendonly is off'],
    ['maxmemory', '0', '64mb', 'warn', 'maxmemory is not set'],
    ['maxmemory', '1mb', '64mb', 'warn', '% of maxmemory'],
  ])('finds %s %s', async (directive, bad, good, severity, text) => {
    await redis.set(directive, bad);
    const [finding, ...more] = illOf(await checkRedis(redis.url, { keyPrefix: 'parley' }));
    await redis.set(directive, good);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity, text: expect.stringContaining(text) });
  });

  it.each([
    ['none', '~parley:* ~{parley-* &parley:* +@all -@admin -@dangerous +info', undefined],
    [
      'keys of BullMQ',
      '~parley:* &parley:* +@all -@admin -@dangerous +info',
      'keys {parley-queue}*, keys {parley-push}*',
    ],
    [
      'keys of its own',
      '~{parley-* &parley:* +@all -@admin -@dangerous +info',
      'keys parley:*, scripts (EVAL, EVALSHA)',
    ],
    ['channels', '~parley:* ~{parley-* +@all -@admin -@dangerous +info', 'channels parley:*'],
    [
      'scripts',
      '~parley:* ~{parley-* &parley:* +@all -@admin -@dangerous -@scripting +info',
      'scripts (EVAL, EVALSHA)',
    ],
  ])('finds which rights the user of Redis lacks: %s (L4)', async (_what, rules, missing) => {
    const admin = new Redis(redis.url);
    await admin.acl('SETUSER', 'few', 'reset', 'on', '>secret', ...rules.split(' '));
    admin.disconnect();
    const url = redis.url.replace('redis://', 'redis://few:secret@');
    const [lacking, ...more] = illOf(await checkRedis(url, { keyPrefix: 'parley' }));
    expect(more).toEqual([]);
    const text = missing === undefined ? undefined : `The user of REDIS_URL has no right to ${missing}`;
    expect(lacking?.text).toBe(text);
    if (text !== undefined)
      expect(lacking).toMatchObject({ severity: 'fail', fix: expect.stringContaining('~{parley-*') });
  });

  it('asks whether the port of a rediss address speaks TLS when nothing answers', async () => {
    const [silent] = illOf(await checkRedis(redis.url.replace('redis://', 'rediss://'), { keyPrefix: 'parley' }));
    expect(silent).toMatchObject({ severity: 'fail', fix: expect.stringContaining('redis in place of rediss') });
  }, 30_000);

  it('finds a Redis that wants a password', async () => {
    await redis.set('requirepass', 'secret');
    const [refused] = illOf(await checkRedis(redis.url, { keyPrefix: 'parley' }));
    expect(refused).toMatchObject({ severity: 'fail', fix: 'Correct user and password in REDIS_URL' });
  }, 30_000);
});

describe(checkEmbeddedRedis.name, () => {
  it('warns of a server that keeps nothing, and asks none where no service runs', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-doctor-'));
    expect(illOf(await checkEmbeddedRedis(await runningServerUrl(dataDir), dataDir))).toEqual([]);
    const redis = await startEmbeddedRedis({ dataDir, kind: 'javascript' });
    try {
      const [finding] = illOf(await checkEmbeddedRedis(await runningServerUrl(dataDir), dataDir));
      expect(finding).toMatchObject({ severity: 'warn', text: expect.stringContaining('in memory only') });
    } finally {
      await redis.stop();
      await rm(dataDir, { recursive: true });
    }
  });
});

describe(checkIssuers.name, () => {
  it('finds nothing where callers need no tokens', async () => {
    const API_KEYS = `k:acme:client:a2a:tasks.read:${'0'.repeat(64)}`;
    expect(illOf(await checkIssuers({ HOST: '127.0.0.1', API_KEYS }, HERE))).toEqual([]);
  });

  it('warns of a service that asks for no credentials', async () => {
    const [finding] = illOf(await checkIssuers({ HOST: '127.0.0.1' }, HERE));
    expect(finding).toMatchObject({ severity: 'warn', text: expect.stringContaining('No authentication') });
  });

  it('finds a service that is open to others', async () => {
    const [finding] = illOf(await checkIssuers({ HOST: '0.0.0.0' }, HERE));
    expect(finding).toMatchObject({ severity: 'fail', text: expect.stringContaining('set JWT_ISSUER') });
  });

  it('finds an issuer that gives no keys', async () => {
    const [finding] = illOf(await checkIssuers({ HOST: '127.0.0.1', JWT_ISSUER: 'http://127.0.0.1:1' }, HERE));
    expect(finding).toMatchObject({ severity: 'fail', text: expect.stringContaining('Cannot fetch the keys') });
  });
});

describe(checkCard.name, () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const card = {
      version: '0.0.1',
      skills: [{ id: 'echo' }, { id: 'elsewhere' }],
      supportedInterfaces: [{ url: 'http://old.example/' }],
    };
    server = createServer((_request, response) => response.end(JSON.stringify(card))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });

  afterAll(() => {
    server.close();
  });

  it('finds a card of another version, with other skills and another address', async () => {
    const found = illOf(
      await checkCard(url, { version: '1.0.0', skills: ['countdown', 'echo'], publicUrls: ['https://agent.example'] }),
    );
    expect(found.map(({ text }) => text)).toEqual([
      'The card has version 0.0.1, this image has 1.0.0',
      expect.stringMatching(/^Skills missing in the card: .*countdown/),
      'Skills in the card but not in this image: elsewhere',
      'The card has the address http://old.example/, but PUBLIC_URL is https://agent.example',
    ]);
  });

  it('only warns where nothing answers: it may not be started yet', async () => {
    expect(illOf(await checkCard('http://127.0.0.1:1', { version: '1.0.0', skills: [] }))).toMatchObject([
      { severity: 'warn' },
    ]);
  });
});
