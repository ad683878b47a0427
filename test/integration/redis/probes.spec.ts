import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { assertFit } from '../../../src/platform/redis/health/fit.js';
import { probeRedis } from '../../../src/platform/redis/health/probes.js';
import { checkRedis } from '../../../src/cli/ops/doctor/redis-check.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { eventually } from '../../kit/run/eventually.js';

let redis: RedisServer;
let admin: Redis;

/** A user with these rights. */
async function userWith(rules: string): Promise<string> {
  const name = `u${randomUUID()}`;
  await admin.acl('SETUSER', name, 'reset', 'on', '>secret', ...rules.split(' '));
  return redis.url.replace('redis://', `redis://${name}:secret@`);
}

describe('probes of Redis', () => {
  beforeAll(async () => {
    redis = await RedisServer.start({ config: { maxmemory: '64mb' } });
    admin = new Redis(redis.url);
  }, 60_000);

  afterAll(async () => {
    admin.disconnect();
    await redis.stop();
  });

  describe(probeRedis.name, () => {
    it('finds nothing wrong with Redis, in at most 50 commands that leave nothing behind (FITS-08)', async () => {
      await admin.set('of another', 'stays');
      const monitor = await new Redis(redis.url).monitor();
      const commands: string[][] = [];
      monitor.on('monitor', (_time: string, args: string[], source: string) => {
        if (source !== 'lua') commands.push(args);
      });
      expect(await probeRedis(redis.url, 'parley')).toEqual([]);
      await admin.echo('end');
      await eventually(() => expect(commands.at(-1)).toEqual(['echo', 'end']));
      const names = new Set(commands.map(([name = '']) => name.toLowerCase()));
      expect(commands.length).toBeLessThanOrEqual(50);
      monitor.disconnect();
      expect(await admin.keys('*')).toEqual(['of another']);
      for (const dangerous of ['keys', 'scan', 'config', 'flushall', 'flushdb', 'script', 'debug', 'monitor']) {
        expect(names).not.toContain(dangerous);
      }
    }, 60_000);

    it('finds no fault of the product in a full Redis, and leaves nothing there either (FITS-08)', async () => {
      await redis.set('maxmemory', '1');
      const findings = await probeRedis(redis.url, 'parley');
      await redis.set('maxmemory', '64mb');
      expect(findings).toEqual([]);
      expect(await admin.keys('parley*')).toEqual([]);
    }, 60_000);

    it.each([
      ['events that no subscriber gets', '~* resetchannels &none +@all', 'publish'],
      ['a refused blocking pop', '~* &* +@all -bzpopmin', 'blocking'],
    ])(
      'finds %s, which an operator may accept (FITS-08)',
      async (_what, rules, code) => {
        const findings = await probeRedis(await userWith(rules), 'parley');
        expect(findings).toMatchObject([{ severity: 'refuse', code }]);
      },
      60_000,
    );

    it('notes a refused WAIT (FITS-08)', async () => {
      const findings = await probeRedis(await userWith('~* &* +@all -wait'), 'parley');
      expect(findings).toMatchObject([{ severity: 'note', text: expect.stringContaining('REDIS_WAIT_REPLICAS') }]);
    }, 60_000);
  });

  describe('a user without the right to INFO', () => {
    const RULES = '~parley:* ~{parley-* &parley:* +@all -@admin -@dangerous';

    it('is refused at start, as the eviction policy cannot be read, unless that is accepted (FITS-07)', async () => {
      const url = await userWith(RULES);
      await expect(assertFit(url, { mostMs: 5_000 })).rejects.toThrow(/maxmemory-policy cannot be read.*\+info/);
      const warnings = await assertFit(url, { mostMs: 5_000 }, { accept: ['policy'] });
      expect(warnings).toMatchObject([expect.stringContaining('accepted by redis.accept')]);
    }, 60_000);

    it('is named by the doctor, whose probes decide then (FITS-07)', async () => {
      const findings = await checkRedis(await userWith(RULES), { keyPrefix: 'parley', accept: ['policy'] });
      expect(findings[0]?.text).toContain('A server of unknown kind');
      expect(findings.filter(({ severity }) => severity === 'fail')).toEqual([]);
      const refused = await checkRedis(await userWith(`${RULES} -evalsha`), {
        keyPrefix: 'parley',
        accept: ['policy'],
      });
      expect(refused.filter(({ severity }) => severity === 'fail')).toMatchObject([
        { text: expect.stringContaining('scripts or transactions do not run') },
      ]);
    }, 60_000);
  });
});
