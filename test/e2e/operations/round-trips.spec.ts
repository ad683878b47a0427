import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { CommandRedis, RunRedis } from '../../../src/platform/redis/connection/connections.js';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { RedisTrips } from '../../kit/redis/redis-trips.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** What the process does beside its calls: its look at the queues, the sweep, the probe of Redis, BullMQ's own polls. */
const BESIDE = [
  'BullMQ',
  'heads',
  'heartbeat',
  'time',
  'zrangebyscore',
  'info',
  'ping',
  'config',
  'running_processes',
  'latest',
  'idle',
];
/** Issue 18: a send with its index. */
const MAX_COMMANDS = 16;
/** Not the call of a script itself, and not what the process does beside its calls. */
const OF_A_SEND = /^(set|get|hset|hget|hmget|hincrby|pexpire|zadd|zrem|exists|rpush|publish)$/;

/**
 * What one call costs in round trips to Redis. A row that grows is slower for every caller: the table in
 * docs/performance.md says the same.
 */
describe('round trips to Redis', () => {
  let api: RunningApp;
  let worker: RunningApp;
  let calls: RedisTrips;
  let runs: RedisTrips;
  let ends: RedisTrips;
  let client: RpcClient;

  beforeAll(async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    api = await runApp({ ROLE: 'api', KEY_PREFIX });
    worker = await runApp({ ROLE: 'worker', KEY_PREFIX });
    calls = new RedisTrips(api.app.get<Redis>(CommandRedis));
    runs = new RedisTrips(worker.app.get<Redis>(RunRedis));
    ends = new RedisTrips(worker.app.get<Redis>(CommandRedis));
    client = new RpcClient(api.url);
    // The first of each script sends its text as well.
    const { id } = await client.task('SendMessage', aMessage('warm', { skillId: 'echo' }));
    await client.task('GetTask', { id });
    await client.call('ListTasks', {});
    await client.call('CancelTask', { id });
  });

  beforeEach(async () => {
    const redis = api.app.get<Redis>(CommandRedis);
    await eventually(async () => expect(await redis.zcard(new TaskKeys(api.keyPrefix).idleWorkers)).toBe(1));
    calls.reset();
    runs.reset();
    ends.reset();
  });

  afterAll(async () => {
    await api.close();
    await worker.close();
  });

  it('a blocking send makes the task and wakes a worker: the answer is made of its events; its worker claims and commits once', async () => {
    await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));

    expect(calls.sent).toEqual([['begin'], ['hint']]);
    await eventually(() => {
      expect(ends.sent.flat().filter((command) => !BESIDE.includes(command))).toEqual(['claim', 'commit']);
    });
  });

  it('a send that does not wait makes the task and wakes a worker', async () => {
    await client.task('SendMessage', {
      ...aMessage('Hello', { skillId: 'echo' }),
      configuration: { returnImmediately: true },
    });

    await eventually(() => expect(calls.sent).toEqual([['begin'], ['hint']]));
  });

  it('a streaming send makes the task and wakes a worker: every event comes by itself', async () => {
    const states: unknown[] = [];
    for await (const event of client.stream('SendStreamingMessage', aMessage('Hello', { skillId: 'echo' })))
      states.push(event);

    expect(states.length).toBeGreaterThan(2);
    expect(calls.sent).toEqual([['begin'], ['hint']]);
  });

  it('a task is read in one', async () => {
    const { id } = await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
    calls.reset();

    await client.task('GetTask', { id });

    expect(calls.sent).toEqual([['read']]);
  });

  it('a page of tasks is found in one and read in another', async () => {
    await client.call('ListTasks', {});

    expect(calls.sent).toEqual([['list-entries'], ['records']]);
  });

  it('a finished task is refused its cancel in two', async () => {
    const { id } = await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
    calls.reset();

    await client.call('CancelTask', { id });

    expect(calls.sent).toEqual([['owned'], ['cancel']]);
  });
});

describe('round trips to Redis of a process that runs what it takes in', () => {
  let own: RedisServer;
  let all: RunningApp;
  let client: RpcClient;
  let calls: RedisTrips;
  let runs: RedisTrips;

  beforeAll(async () => {
    own = await RedisServer.start();
    all = await runApp({ ROLE: 'all', REDIS_URL: own.url });
    calls = new RedisTrips(all.app.get<Redis>(CommandRedis));
    runs = new RedisTrips(all.app.get<Redis>(RunRedis));
    client = new RpcClient(all.url);
    await client.task('SendMessage', aMessage('warm', { skillId: 'echo' }));
  });

  beforeEach(() => {
    calls.reset();
    runs.reset();
  });

  afterAll(async () => {
    await all.close();
    await own.stop();
  });

  it('a send makes the task and claims its run at once, and ends it in one commit: no job, no hop', async () => {
    await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));

    const own = [...calls.sent, ...runs.sent].flat().filter((command) => !BESIDE.includes(command));
    expect(own).toEqual(['begin', 'commit']);
  });

  it(`a send costs at most ${String(MAX_COMMANDS)} commands of Redis, whatever the machine`, async () => {
    const redis = all.app.get<Redis>(CommandRedis);
    await redis.config('RESETSTAT');
    const sends = 100;
    for (let at = 0; at < sends; at += 1) await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
    const stats = await redis.info('commandstats');
    const counted = [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].filter(([, name = '']) =>
      OF_A_SEND.test(name),
    );
    const commands = counted.reduce((sum, [, , count]) => sum + Number(count), 0);
    // What the process asks by the clock meanwhile is less than one for two sends.
    expect(Math.round(commands / sends)).toBeLessThanOrEqual(MAX_COMMANDS);
  });
});
