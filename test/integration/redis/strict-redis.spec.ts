import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { assertFit } from '../../../src/platform/redis/health/fit.js';
import { probeRedis } from '../../../src/platform/redis/health/probes.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { ADMINISTRATIVE, StrictRedis } from '../../kit/redis/strict/strict-redis.js';
import { piece, TaskStores } from '../../kit/tasks/task-stores.js';

const ARTIFACTS = 5_000;
const MAX_ARGUMENTS = 3_999;
/** Events of a commit, as many as a run writes at once. */
const EACH = 50;

let server: RedisServer;
let strict: StrictRedis;

describe('a Redis with the limits of a managed one', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
    strict = await StrictRedis.before(server.port, {
      ...{ refused: ADMINISTRATIVE, maxArguments: MAX_ARGUMENTS, isStrictAboutKeys: true },
    });
  }, 60_000);

  afterAll(async () => {
    strict.close();
    await server.stop();
  });

  it('is probed: strict keys and its bound of arguments are named, and are no fault (FITS-08)', async () => {
    const findings = await probeRedis(strict.url(), 'parley');
    expect(findings).toMatchObject([
      { severity: 'note', text: expect.stringContaining('does not declare') },
      { severity: 'note', text: expect.stringContaining('4000 arguments') },
    ]);
  }, 60_000);

  it('is refused where messages reach subscribers late (FITS-08)', async () => {
    const late = await StrictRedis.before(server.port, { publishDelayMs: 3_000 });
    const findings = await probeRedis(late.url(), 'parley');
    late.close();
    expect(findings).toMatchObject([{ severity: 'refuse', code: 'publish' }]);
  }, 60_000);

  it.each([
    [
      'ElastiCache with its default policy',
      { os: 'Amazon ElastiCache', maxmemory_policy: 'volatile-lru' },
      /volatile-lru/,
    ],
    ['ElastiCache Serverless', { os: 'Amazon ElastiCache', maxmemory_policy: undefined }, /cannot be read/],
    ['KeyDB', { mvcc_depth: '0' }, /no longer maintained/],
  ] as const)(
    'is refused at start, if it is %s (FITS-07)',
    async (_product, info, reason) => {
      const managed = await StrictRedis.before(server.port, { info });
      await expect(assertFit(managed.url(), { mostMs: 5_000 })).rejects.toThrow(reason);
      managed.close();
    },
    60_000,
  );

  it('is used at start, if it is MemoryDB (FITS-07)', async () => {
    const info = { os: 'Amazon MemoryDB', aof_enabled: '0' };
    const managed = await StrictRedis.before(server.port, { refused: ADMINISTRATIVE, info });
    expect(await assertFit(managed.url(), { mostMs: 5_000 })).toEqual([]);
    managed.close();
  }, 60_000);

  it(`keeps, reads, parks and purges a task of ${String(ARTIFACTS)} artifacts in calls below its bound (FITS-09)`, async () => {
    strict.mostArguments = 0;
    const stores = TaskStores.connect(strict.url(), { keyPrefix: `test-${randomUUID()}` });
    const run = await stores.running();
    let { seq } = run;
    for (let at = 0; at < ARTIFACTS; at += EACH) {
      const writes = Array.from({ length: EACH }, (_, more) => piece(`a${String(at + more)}`, 'text'));
      const outcome = await stores.runs.commit({ ...run, seq }, seq, writes);
      if (outcome.kind !== 'committed') throw new Error(outcome.kind);
      ({ seq } = outcome);
    }
    const behind = new Redis(server.url);
    await behind.persist(stores.keys.artifact(run.taskId, ARTIFACTS));
    const wait = { until: Date.now() + 3_600_000, signals: [], known: 0 };
    await stores.runs.park({ ...run, seq }, seq, { writes: [], wait, notes: { entries: [], read: [] } });
    expect(await behind.pttl(stores.keys.artifact(run.taskId, ARTIFACTS))).toBeGreaterThan(3_600_000);
    expect((await stores.task(run.taskId)).artifacts).toHaveLength(ARTIFACTS);
    expect(await stores.sweeps.purge(run.taskId, 'whatever')).toBe(true);
    expect(await behind.keys(`${stores.options.keyPrefix}*${run.taskId}*`)).toEqual([]);
    behind.disconnect();
    stores.redis.disconnect();
    expect(strict.mostArguments).toBeLessThanOrEqual(MAX_ARGUMENTS);
  }, 300_000);
});
