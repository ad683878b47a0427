import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { startEmbeddedRedis } from '../../../src/platform/redis/embedded/embedded-redis.js';
import { migrationKey, presenceKey } from '../../../src/platform/redis/service.keys.js';
import { readSchema } from '../../../src/platform/redis/stored-schema.js';
import { eventually } from '../../kit/eventually.js';
import { FIXTURE_VARIABLES } from '../../kit/migration/callers.js';
import { storeCopies } from '../../kit/migration/copies.js';
import { ask } from '../../kit/migration/interview.js';
import { loadFixture, readFixture, type StoredFixture } from '../../kit/migration/stored-fixture.js';
import { RedisServer } from '../../kit/redis-server.js';
import { ServiceProcess } from '../../kit/service-process.mjs';

const PREFIX = 'parley';
const MANY = 3_000;

let server: RedisServer;
let redis: Redis;
let fixture: StoredFixture;

beforeAll(async () => {
  server = await RedisServer.start();
  redis = new Redis(server.url);
  fixture = await readFixture();
}, 60_000);

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** The built command. */
function migrate(variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['dist/cli/parley.js', 'ops', ...args, 'migrate'], {
    env: { PATH, HOME, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (said.out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said.err += text.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  return { child, ended };
}

async function startRefused(variables: Readonly<Record<string, string>>): Promise<string> {
  const service = new ServiceProcess(variables);
  expect(await service.exited).toBe(1);
  return service.output.join('\n');
}

describe('parley ops migrate', () => {
  const onServer = (): Readonly<Record<string, string>> => ({ REDIS_URL: server.url, ...FIXTURE_VARIABLES });

  it('is named by the start that refuses older data', async () => {
    await redis.flushall();
    await loadFixture(redis, fixture, PREFIX);
    expect(await startRefused(onServer())).toContain(
      'The stored data is of schema 2, and this code works with 3 or newer (stop every older process, then run "parley ops migrate").',
    );
  }, 60_000);

  it('changes nothing while a process of the service runs', async () => {
    const old = JSON.stringify({ id: 'p1', role: 'all', version: '0.1.0' });
    await redis.zadd(presenceKey(PREFIX), Date.now() + 60_000, old);
    const { code, err } = await migrate(onServer()).ended;
    expect([code, err]).toEqual([
      1,
      'These processes of the service still run on this data: all 0.1.0 (p1). Stop them, then run this command again.\n',
    ]);
    expect(await readSchema(redis, PREFIX)).toEqual({ number: 2, oldest: 2 });
    await redis.del(presenceKey(PREFIX));
  }, 60_000);

  it('goes on after it was killed, and keeps every process away until it is done', async () => {
    await redis.flushall();
    await storeCopies(redis, fixture, PREFIX, MANY);
    const first = migrate(onServer());
    await eventually(async () => expect(await migratedTasks()).toBeGreaterThan(MANY / 10), { timeoutMs: 30_000 });
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await migratedTasks()).toBeLessThan(MANY);
    // Code of schema 2 refuses data that needs newer code, and this code refuses data of schema 2.
    expect(await readSchema(redis, PREFIX)).toEqual({ number: 2, oldest: 3 });
    expect(await startRefused(onServer())).toContain(
      'The stored data is being migrated to schema 3 (wait for "parley ops migrate", or run it again if it was interrupted).',
    );
    expect(await migrate(onServer()).ended).toMatchObject({
      code: 1,
      err: expect.stringContaining('Another "parley ops migrate"'),
    });
    // As if the half minute were over for which a killed one keeps the others out.
    await redis.del(migrationKey(PREFIX));

    const second = await migrate(onServer(), '--json').ended;
    expect(second).toMatchObject({ code: 0 });
    expect(await migratedTasks()).toBe(MANY);
    expect(await readSchema(redis, PREFIX)).toEqual({ number: 3, oldest: 3 });
    expect(await redis.keys(`${PREFIX}:*:index*`)).toEqual([]);
    const again = await migrate(onServer()).ended;
    expect(again).toMatchObject({ code: 0, out: 'The stored data already has schema 3.\n' });

    const service = new ServiceProcess(onServer());
    const sizes = ['alice', 'bob', 'carol'] as const;
    const url = await service.ready();
    const lists = await Promise.all(sizes.map((caller) => ask(url, caller, '1.0', 'ListTasks', { pageSize: 1 })));
    const total = lists.reduce<number>(
      (sum, list) => sum + (list as { result: { totalSize: number } }).result.totalSize,
      0,
    );
    expect(total).toBe(MANY);
    await service.stop();
  }, 120_000);

  it('brings the data folder of the default start over, whose Redis does not run', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-migrate-'));
    const variables = { DATA_DIR: dataDir, ...FIXTURE_VARIABLES };
    try {
      const embedded = await startEmbeddedRedis({ dataDir });
      const client = new Redis(embedded.url);
      await loadFixture(client, fixture, PREFIX);
      await client.quit();
      await embedded.stop();

      expect(await startRefused(variables)).toContain('run "parley ops migrate"');
      const { code, out } = await migrate(variables).ended;
      expect([code, out]).toEqual([
        0,
        expect.stringContaining(`${fixture.tasks.length} tasks migrated to schema 3 in`),
      ]);
      const service = new ServiceProcess(variables);
      const url = await service.ready();
      const { id } = fixture.tasks.find(({ name }) => name === 'completed') ?? { id: '' };
      expect(await ask(url, 'alice', '1.0', 'GetTask', { id })).toMatchObject({
        result: { id, status: { state: 'TASK_STATE_COMPLETED' } },
      });
      await service.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 120_000);
});

/** Tasks that have a state word. */
async function migratedTasks(): Promise<number> {
  const keys = await redis.keys(`${PREFIX}:*:counts`);
  const counts = await Promise.all(keys.map((key) => redis.hgetall(key)));
  return counts
    .flatMap(Object.entries<string>)
    .reduce((sum, [name, count]) => sum + (name.endsWith(' begun') ? Number(count) : 0), 0);
}
