import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OpsModule } from '../../../src/cli/ops/ops.module.js';
import { purge, type PurgeOptions } from '../../../src/cli/ops/tasks/purge.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import type { DeadLetter } from '../../../src/webhooks/dead-letter/dead-letter.store.js';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { allKeys } from '../../kit/checks/invariants.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { TaskStores } from '../../kit/tasks/task-stores.js';

const OWNERS = [
  'acme/client:a',
  'acme/user:a:eve',
  'acme/user:a:b%3Ac',
  'acme/client:b',
  'acme/tenant',
  'acme2/client:a',
];

describe(purge.name, () => {
  let server: RedisServer;
  let stores: TaskStores;
  let service: INestApplicationContext;

  beforeAll(async () => {
    server = await RedisServer.start({ config: { appendonly: 'no' } });
    stores = TaskStores.connect(server.url);
  }, 60_000);

  beforeEach(async () => {
    stores = new TaskStores(stores.redis);
    const environment = loadConfig({ KEY_PREFIX: stores.options.keyPrefix });
    service = await NestFactory.createApplicationContext(OpsModule.forRoot(environment, server.url), { logger: false });
    for (const owner of OWNERS) {
      await stores.completed({ owner, contextId: 'one' });
      await stores.completed({ owner, contextId: 'other:c:one' });
      await stores.running({ owner, contextId: 'one' });
      await stores.contexts
        .of({ owner, contextId: 'one', accounts: { tenantAccount: '', clientAccount: '' } })
        .set('name', 1);
    }
  });

  afterEach(() => service.close());

  afterAll(async () => {
    stores.redis.disconnect();
    await server.stop();
  });

  async function run(options: Partial<PurgeOptions>): Promise<unknown> {
    const { json } = await purge(service, { tenant: 'acme', ...options });
    return json;
  }

  async function left(): Promise<Record<string, number>> {
    const totals = OWNERS.map(async (owner) => [owner, (await stores.index.list(owner, {}, { limit: 0 })).total]);
    return Object.fromEntries(await Promise.all(totals)) as Record<string, number>;
  }

  it('only counts unless told to remove', async () => {
    expect(await run({ all: true })).toMatchObject({ found: 15, removed: 0 });
    expect(await left()).toEqual(Object.fromEntries(OWNERS.map((owner) => [owner, 3])));
  });

  it('removes the finished tasks of a whole tenant, whoever owns them, and of no other (A2A-SEC-08)', async () => {
    expect(await run({ all: true, yes: true })).toMatchObject({ found: 15, removed: 10, contexts: 5 });
    expect(await left()).toEqual({ ...Object.fromEntries(OWNERS.map((owner) => [owner, 1])), 'acme2/client:a': 3 });
  });

  it('leaves no key of a tenant whose running tasks are removed too', async () => {
    await run({ all: true, yes: true, running: true });
    const keys = await allKeys(stores);
    expect(keys.filter((key) => key.includes('acme/'))).toEqual([]);
    await purge(service, { tenant: 'acme2', all: true, yes: true, running: true });
    expect(await allKeys(stores)).toEqual([]);
  });

  it('takes a client with its users, or one of its users', async () => {
    expect(await run({ client: 'a', user: 'b:c', all: true, yes: true })).toMatchObject({ found: 3, removed: 2 });
    expect(await left()).toMatchObject({ 'acme/client:a': 3, 'acme/user:a:b%3Ac': 1, 'acme/user:a:eve': 3 });
  });

  it('takes one context, with what skills remember of it', async () => {
    expect(await run({ client: 'a', context: 'one', yes: true })).toMatchObject({ found: 6, removed: 3, contexts: 3 });
    expect(await left()).toMatchObject({ 'acme/client:a': 2, 'acme/user:a:eve': 2, 'acme/client:b': 3 });
  });

  it('removes the dead letters of tasks that are gone, and of no others', async () => {
    const { taskId } = await stores.completed({ owner: 'acme/client:b', contextId: 'letters' });
    const kept = await stores.running({ owner: 'acme/client:b', contextId: 'letters' });
    for (const id of [taskId, kept.taskId]) await bury(id);
    expect(await run({ context: 'letters', yes: true })).toMatchObject({ found: 2, removed: 1, deadLetters: 1 });
  });

  it('is safe while runs go on: a removed one is lost and writes nothing more', async () => {
    const running = await stores.running({ owner: 'acme/client:b', contextId: 'busy' });
    await run({ context: 'busy', yes: true, running: true });
    expect(await stores.heartbeat(running)).toBe('lost');
    expect(await stores.runs.notebook.writeState(running, 'late', '1')).toBe(false);
    expect((await allKeys(stores)).filter((key) => key.includes(running.taskId))).toEqual([]);
  });

  it('wants to be told which, and by which client a user came', async () => {
    await expect(run({})).rejects.toThrow('Select the tasks');
    await expect(run({ all: true, user: 'eve' })).rejects.toThrow('--user needs the client');
  });

  it('outlasts a Redis that answers nothing for longer than a caller would wait (M3)', async () => {
    server.signal('SIGSTOP');
    const back = setTimeout(() => server.signal('SIGCONT'), 2_500);
    try {
      expect(await run({ client: 'a', all: true, yes: true })).toMatchObject({ found: 9, removed: 6 });
    } finally {
      clearTimeout(back);
      server.signal('SIGCONT');
    }
  }, 30_000);

  async function bury(taskId: string): Promise<void> {
    const name = `${taskId} hook 1`;
    const letter: DeadLetter = {
      ...{ name, taskId, configId: 'hook', seq: 1, scope: 'event', tenant: 'acme', attempts: 1 },
      ...{ origin: 'https://a.example', reason: 'status 500', at: new Date().toISOString() },
    };
    const { dead: items, deadTimes: times } = new PushKeys(stores.options.keyPrefix).deadOf(taskId);
    await stores.redis.hset(items, name, JSON.stringify(letter));
    await stores.redis.zadd(times, Date.now(), name);
  }
});
