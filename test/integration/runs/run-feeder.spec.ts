import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Queue } from 'bullmq';
import { queuePrefix } from '../../../src/platform/queue/wake-up-queue.js';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import type { RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { ProcessIdentity } from '../../../src/platform/redis/process-identity.js';
import { RunFeeder } from '../../../src/runs/worker/run-feeder.js';
import { RunSlots } from '../../../src/runs/worker/run-slots.js';
import { IdleWorkers } from '../../../src/runs/queue/idle-workers.js';
import { RUN_QUEUE, RunQueue } from '../../../src/runs/queue/run.queue.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { FairQueue } from '../../../src/tasks/store/fair-queue.js';
import { FIELD } from '../../../src/tasks/task-fields.js';
import { shardOf, TaskKeys } from '../../../src/tasks/task.keys.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisTrips } from '../../kit/redis/redis-trips.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** What the skill has done, in the order in which it was done. */
const ran: string[] = [];
/** Runs of the skill under way, and the most at once. */
const now = { running: 0, most: 0 };
/** Ends the runs of messages that say 'held'. */
const held: (() => void)[] = [];

@Skill({ id: 'noted', name: 'Noted', description: 'For tests', tags: [] })
class NotedSkill implements SkillHandler {
  async *run({ text, taskId }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    ran.push(taskId);
    now.running += 1;
    now.most = Math.max(now.most, now.running);
    if (text === 'long') await new Promise((resolve) => setTimeout(resolve, 30));
    if (text === 'held') await new Promise<void>((resolve) => held.push(resolve));
    now.running -= 1;
    yield completed('Done');
  }
}

@Skill({ id: 'brief', name: 'Brief', description: 'For tests', tags: [], timeoutMs: 500 })
class BriefSkill extends NotedSkill {}

@Skill({ id: 'narrow', name: 'Narrow', description: 'For tests', tags: [], concurrency: 1 })
class NarrowSkill extends NotedSkill {}

/** Every so many scripts the reply is lost: the script was run, and its sender sees a broken connection. */
function losingReplies(redis: RedisClient, every: number): () => number {
  const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  let [sent, lost] = [0, 0];
  Object.assign(redis, {
    evalsha: async (...args: unknown[]) => {
      const reply = await evalsha(...args);
      sent += 1;
      if (sent % every !== 0) return reply;
      lost += 1;
      throw new Error('Connection is closed.');
    },
  });
  return () => lost;
}

/** However busy the machine is: what is waited for comes, or it never does. */
const PATIENT = { timeoutMs: 20_000 };
const ONE_SLOT = { WORKER_CONCURRENCY: '1' };
const OVERRIDES = { skills: [NotedSkill, BriefSkill, NarrowSkill] };
const SETTINGS = { DEFAULT_SKILL: 'noted' };

describe(RunFeeder.name, () => {
  const apps: RunningApp[] = [];

  const start = async (variables: Record<string, string>): Promise<RunningApp> => {
    const app = await runApp({ ...SETTINGS, ...variables }, OVERRIDES);
    apps.push(app);
    return app;
  };

  const send = async (app: RunningApp, text = 'go', skillId = 'noted'): Promise<string> => {
    const params = { ...aMessage(text, { skillId }), configuration: { returnImmediately: true } };
    return (await new RpcClient(app.url).task('SendMessage', params)).id;
  };

  const idleWorkers = ({ app, keyPrefix }: RunningApp): Promise<number> =>
    app.get<Redis>(CommandRedis).zcard(new TaskKeys(keyPrefix).idleWorkers);

  /** From here on only a wake-up brings it a run. */
  const stopPolls = ({ app }: RunningApp): void => app.get(RunFeeder, { strict: false }).onModuleDestroy();

  /** It counts as idle however long the next call takes: by itself for a moment only. */
  const keepIdle = async ({ app, keyPrefix }: RunningApp, forMs = 3_600_000): Promise<void> => {
    const { id } = app.get(ProcessIdentity, { strict: false });
    await app.get<Redis>(CommandRedis).zadd(new TaskKeys(keyPrefix).idleWorkers, Date.now() + forMs, id);
  };

  const isCompleted = async (app: RunningApp, id: string): Promise<void> => {
    expect((await new RpcClient(app.url).task('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED');
  };

  afterEach(async () => {
    ran.length = 0;
    now.most = 0;
    for (const end of held.splice(0)) end();
    for (const app of apps.splice(0)) await app.close();
  });

  it('finds a run whose wake-up was lost by its own look', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    api.app.get(RunQueue, { strict: false }).wake = () => undefined;
    await start({ ROLE: 'worker', KEY_PREFIX });
    const id = await send(api);
    await eventually(() => isCompleted(api, id), PATIENT);
  });

  it.each([{}, ONE_SLOT])('wakes an idle worker by a hint, without a job and without a poll: %j', async (slots) => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const worker = await start({ ROLE: 'worker', KEY_PREFIX, ...slots });
    const queue = new Queue(RUN_QUEUE, {
      ...{ connection: api.app.get<Redis>(CommandRedis), prefix: queuePrefix(KEY_PREFIX) },
    });
    for (let sent = 1; sent <= 5; sent += 1) {
      // It says so itself at the end of each run.
      await eventually(async () => expect(await idleWorkers(api)).toBe(1), PATIENT);
      stopPolls(worker);
      await keepIdle(worker);
      await send(api);
      await eventually(() => expect(ran).toHaveLength(sent), PATIENT);
    }
    // BullMQ numbers no job: none was ever added.
    expect(await queue.getMeta()).not.toHaveProperty('jobs');
    expect(await queue.getJobCountByTypes()).toBe(0);
  });

  it('finds a run by its own look when its hint was published and heard by nobody', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    await start({ ROLE: 'worker', KEY_PREFIX });
    api.app.get(IdleWorkers, { strict: false }).wake = () => Promise.resolve(1);
    const id = await send(api);
    await eventually(() => expect(ran).toEqual([id]), PATIENT);
  });

  it('passes a hint on when its process has become full', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const full = await start({ ROLE: 'worker', KEY_PREFIX, ...ONE_SLOT });
    await send(api, 'held');
    await eventually(() => expect(held).toHaveLength(1));
    const other = await start({ ROLE: 'worker', KEY_PREFIX, ...ONE_SLOT });
    await eventually(async () => expect(await idleWorkers(api)).toBe(1));
    stopPolls(other);
    await keepIdle(other);
    // The one that is full was idle a moment ago, and is asked first.
    await keepIdle(full, 7_200_000);
    await eventually(async () => expect(await idleWorkers(api)).toBe(2));
    const id = await send(api);
    await eventually(() => expect(ran).toContain(id));
  });

  it.each([
    ['has one slot', 'noted', ONE_SLOT],
    ['runs one task of the skill', 'narrow', {}],
  ])('wakes another process for the second of two runs when its own %s (%s)', async (_why, skillId, slots) => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    api.app.get(RunQueue, { strict: false }).wake = () => undefined;
    const full = await start({ ROLE: 'worker', KEY_PREFIX, ...slots });
    const other = await start({ ROLE: 'worker', KEY_PREFIX, ...slots });
    await eventually(async () => expect(await idleWorkers(api)).toBe(2));
    [full, other].forEach(stopPolls);
    await keepIdle(other);
    const ids = [await send(api, 'held', skillId), await send(api, 'held', skillId)];
    const queue = full.app.get(RunQueue, { strict: false });
    queue.wake();
    if (skillId === 'narrow') await eventually(() => expect(held).toHaveLength(1));
    queue.wake();
    await eventually(() => expect(ran.toSorted()).toEqual(ids.toSorted()));
  });

  it('runs one suspect at a time, which delays runs of others by seconds at most (I17)', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const keys = new TaskKeys(KEY_PREFIX);
    const suspects = [await send(api, 'held'), await send(api, 'held'), await send(api, 'held')];
    for (const [at, id] of suspects.entries()) {
      await api.app.get<Redis>(CommandRedis).zadd(keys.fairQueue(shardOf(id)), Date.now() - 1e13 + at, id);
    }
    await start({ ROLE: 'worker', KEY_PREFIX, WORKER_CONCURRENCY: '4' });
    await eventually(() => expect(ran).toEqual(suspects.slice(0, 1)));
    const others = [await send(api), await send(api)];
    await eventually(() => expect(ran).toHaveLength(3), PATIENT);
    expect(ran.slice(1).sort()).toEqual(others.sort());

    held.shift()?.();
    await eventually(() => expect(held).toHaveLength(1), PATIENT);
    expect(ran.slice(3)).toEqual(suspects.slice(1, 2));
    await eventually(() => isCompleted(api, suspects[0] ?? ''));
  });

  it.each([
    ['runs', 'noted', false],
    ['code of canceled runs', 'noted', true],
    ['code of runs over their time', 'brief', true],
  ])(
    'runs a suspect once the %s (%s) beside it has ended, and nothing beside it until it is proven (I17)',
    async (_what, skillId, isStopped) => {
      const KEY_PREFIX = `test-${randomUUID()}`;
      const api = await start({ ROLE: 'api', KEY_PREFIX });
      const [redis, keys] = [api.app.get<Redis>(CommandRedis), new TaskKeys(KEY_PREFIX)];
      const suspect = await send(api, 'held');
      const [task, queue] = [keys.task(suspect), keys.fairQueue(shardOf(suspect))];
      const noted = (): Promise<string | null> => redis.hget(task, FIELD.suspect);
      await redis.zrem(queue, suspect);
      const worker = await start({ ROLE: 'worker', KEY_PREFIX, WORKER_CONCURRENCY: '4' });
      const beside = await send(api, 'held', skillId);
      await eventually(() => expect(ran).toEqual([beside]));
      if (isStopped) {
        if (skillId === 'noted') await new RpcClient(api.url).task('CancelTask', { id: beside });
        await eventually(() => expect(worker.app.get(RunSlots, { strict: false }).free).toBe(4), PATIENT);
      }

      // It was lost twice.
      const word = ((await redis.hget(task, FIELD.word)) ?? '').split(' ').with(5, '2').join(' ');
      await redis.hset(task, { [FIELD.word]: word, [FIELD.losses]: '2', [FIELD.suspect]: 'next 0' });
      await redis.zadd(queue, Date.now() - 1e13, suspect);
      await eventually(async () => expect(await noted()).toBe('- 0'));
      const other = await send(api);
      expect(worker.app.get(RunSlots, { strict: false }).free).toBe(0);
      expect(ran).toEqual([beside]);

      held.shift()?.();
      await eventually(() => expect(ran).toEqual([beside, suspect]));
      expect(await noted()).toBe('1 0');
      await eventually(() => expect(ran).toEqual([beside, suspect, other]), { timeoutMs: 10_000 });
      expect(await noted()).toBe('');
    },
  );

  it('runs those of others while 64 suspects of another tenant wait, one beginning after another (I17)', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const tenants = ['culprit', 'neighbour'];
    const scopes = 'a2a:message.send a2a:tasks.read';
    const API_KEYS = tenants.map((tenant) => apiKeyEntry(`${tenant}.secret`, { tenant, scopes })).join('\n');
    const api = await start({ ROLE: 'api', KEY_PREFIX, API_KEYS });
    const keys = new TaskKeys(KEY_PREFIX);
    const sent = async (tenant: string, text: string): Promise<string> => {
      const params = { ...aMessage(text), configuration: { returnImmediately: true } };
      return (await new RpcClient(api.url, { 'x-api-key': `${tenant}.secret` }).task('SendMessage', params)).id;
    };
    const suspects = await Promise.all(Array.from({ length: 64 }, () => sent('culprit', 'held')));
    for (const [at, id] of suspects.entries())
      await api.app.get<Redis>(CommandRedis).zadd(keys.fairQueue(shardOf(id)), Date.now() - 1e13 + at, id);
    await start({ ROLE: 'worker', KEY_PREFIX, API_KEYS, WORKER_CONCURRENCY: '4' });
    await eventually(() => expect(ran).toHaveLength(1));
    const others = await Promise.all(Array.from({ length: 8 }, () => sent('neighbour', 'go')));
    await eventually(() => expect(ran).toEqual(expect.arrayContaining(others)), PATIENT);
    expect(ran.filter((id) => suspects.includes(id)).length).toBeLessThanOrEqual(3);
  });

  it('serves many waiting runs with a few wake-ups: their number does not follow that of the runs', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const ids = await Promise.all(Array.from({ length: 60 }, () => send(api)));
    const queue = api.app.get(RunQueue, { strict: false });
    await eventually(async () => expect((await queue.counts()).waiting).toBe(60));
    expect(await queue.wakeUps()).toBeLessThanOrEqual(8);

    await start({ ROLE: 'worker', KEY_PREFIX, WORKER_CONCURRENCY: '7' });
    await eventually(() => expect(ran).toHaveLength(60), PATIENT);
    expect(new Set(ran)).toEqual(new Set(ids));
    await eventually(async () => expect(await queue.counts()).toMatchObject({ waiting: 0, wakeups: 0 }));
  });

  it('closes the gap at the end of a wake-up: a run that came meanwhile is found when its job is gone', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const worker = await start({ ROLE: 'worker', KEY_PREFIX, ...ONE_SLOT });
    // Every id of a wake-up is in use for as long as one of them is under way, as it is for a moment at each one's end.
    stopPolls(worker);
    const feeder = worker.app.get(RunFeeder, { strict: false });
    const serve = feeder.serve.bind(feeder);
    let id = '';
    const queue = api.app.get(FairQueue, { strict: false });
    feeder.serve = async () => {
      const isFull = await serve();
      if (id !== '') return isFull;
      api.app.get(RunQueue, { strict: false }).wake = () => undefined;
      id = 'asked';
      id = await send(api);
      expect(await queue.waiting()).toBe(1);
      return isFull;
    };
    await send(api);
    await eventually(() => expect(ran).toHaveLength(2), PATIENT);
    expect(ran).toContain(id);
  });

  it('goes on with the next waiting run when one ends, and runs none twice', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const all = await start({ ROLE: 'all', KEY_PREFIX, WORKER_CONCURRENCY: '2' });
    // A slot that is free takes the next run at once: nothing else looks for one.
    stopPolls(all);
    const ids = await Promise.all(Array.from({ length: 20 }, () => send(all, 'long')));
    await eventually(() => expect(ran).toHaveLength(20), PATIENT);
    expect(new Set(ran)).toEqual(new Set(ids));
    await eventually(() => isCompleted(all, ids.at(-1) ?? ''));
  });

  it('claims the next run in the round trip of the last commit before it, and runs one at a time', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const worker = await start({ ROLE: 'worker', KEY_PREFIX, WORKER_CONCURRENCY: '8' });
    await Promise.all(Array.from({ length: 8 }, () => send(api, 'held')));
    await eventually(() => expect(held).toHaveLength(8));
    await Promise.all(Array.from({ length: 60 }, () => send(api)));
    const trips = new RedisTrips(worker.app.get<Redis>(CommandRedis));
    for (const end of held.splice(0)) end();
    await eventually(() => expect(ran).toHaveLength(68), PATIENT);
    await eventually(() => expect(trips.sent.flat().filter((command) => command === 'commit')).toHaveLength(68));

    const claims = trips.sent.filter((trip) => trip.includes('claim'));
    const withCommit = claims.filter((trip) => trip.includes('commit'));
    expect(withCommit.length).toBeGreaterThan(claims.length / 2);
    expect(new Set(ran).size).toBe(68);
    expect(now.most).toBe(8);
  });

  it('takes nothing more once its process leaves', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const worker = await runApp({ ...SETTINGS, ROLE: 'worker', KEY_PREFIX, ...ONE_SLOT, DRAIN_MS: '5000' }, OVERRIDES);
    const first = await send(api, 'held');
    await eventually(() => expect(held).toHaveLength(1));
    for (let sent = 0; sent < 5; sent += 1) await send(api);
    const slots = worker.app.get(RunSlots, { strict: false });
    const closing = worker.close();
    await eventually(() => expect(slots.free).toBe(0));
    held.pop()?.();
    await closing;
    await isCompleted(api, first);
    expect(ran).toEqual([first]);
    expect(await api.app.get(FairQueue, { strict: false }).waiting()).toBe(5);
  });

  it('runs each task once when replies of commits and claims are lost and both are sent again', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const worker = await start({ ROLE: 'worker', KEY_PREFIX, ...ONE_SLOT });
    await send(api, 'held');
    await eventually(() => expect(held).toHaveLength(1));
    const ids = await Promise.all(Array.from({ length: 12 }, () => send(api)));
    const lost = losingReplies(worker.app.get<RedisClient>(CommandRedis), 3);
    held.pop()?.();
    await eventually(() => expect(ran).toHaveLength(13), PATIENT);
    for (const id of ids) await eventually(() => isCompleted(api, id));
    expect(lost()).toBeGreaterThan(4);
    expect(new Set(ran).size).toBe(13);
    const redis = api.app.get<Redis>(CommandRedis);
    // '<turn> <attempt> …' of its only run.
    const runs = await Promise.all(ids.map((id) => redis.hmget(new TaskKeys(KEY_PREFIX).task(id), 'R0', 'R1', 'R2')));
    expect(runs.map((some) => some.filter((run) => run !== null).map((run) => run.slice(0, 3)))).toEqual(
      ids.map(() => ['1 1']),
    );
  });

  it('drops from the queue what is no task any more, so that it keeps no place from others', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const [gone, stays] = [await send(api), await send(api)];
    await api.app.get<Redis>(CommandRedis).del(new TaskKeys(KEY_PREFIX).task(gone));
    await start({ ROLE: 'worker', KEY_PREFIX, WORKER_CONCURRENCY: '1' });
    await eventually(() => isCompleted(api, stays));
    await eventually(async () => expect(await api.app.get(FairQueue, { strict: false }).waiting()).toBe(0));
  });

  it('leaves no job and no wake-up behind for what it begins itself', async () => {
    const all = await start({ ROLE: 'all' });
    const prefix = queuePrefix(all.keyPrefix);
    const queue = new Queue(RUN_QUEUE, { connection: all.app.get<Redis>(CommandRedis), prefix });
    const id = await send(all);
    await eventually(() => isCompleted(all, id));
    expect(await queue.getJobCounts()).toMatchObject({ completed: 0, waiting: 0, active: 0 });
    const events = await all.app.get<Redis>(CommandRedis).exists(`${prefix}:${RUN_QUEUE}:events`);
    expect(events).toBe(0);
  });
});
