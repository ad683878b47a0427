import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Queue } from 'bullmq';
import { queuePrefix } from '../../../src/platform/queue/job-queue.js';
import { CommandRedis } from '../../../src/platform/redis/connections.js';
import { RunFeeder } from '../../../src/run/run-feeder.js';
import { RUN_QUEUE, RunQueue } from '../../../src/run/queue/run.queue.js';
import { completed, type SkillEvent } from '../../../src/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../../../src/skill/skill.js';
import { FairQueue } from '../../../src/task/fair-queue.js';
import { TaskKeys } from '../../../src/task/task.keys.js';
import { eventually } from '../../kit/eventually.js';
import { aMessage, RpcClient } from '../../kit/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/running-app.js';

/** What the skill has done, in the order in which it was done. */
const ran: string[] = [];

@Skill({ id: 'noted', name: 'Noted', description: 'For tests', tags: [] })
class NotedSkill implements SkillHandler {
  async *run({ text, taskId }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    ran.push(taskId);
    if (text === 'long') await new Promise((resolve) => setTimeout(resolve, 30));
    yield completed('Done');
  }
}

const OVERRIDES = { skills: [NotedSkill] };
const SETTINGS = { DEFAULT_SKILL: 'noted' };

describe(RunFeeder.name, () => {
  const apps: RunningApp[] = [];

  const start = async (variables: Record<string, string>): Promise<RunningApp> => {
    const app = await runApp({ ...SETTINGS, ...variables }, OVERRIDES);
    apps.push(app);
    return app;
  };

  const send = async (app: RunningApp, text = 'go'): Promise<string> => {
    const params = { ...aMessage(text), configuration: { returnImmediately: true } };
    return (await new RpcClient(app.url).task('SendMessage', params)).id;
  };

  const isCompleted = async (app: RunningApp, id: string): Promise<void> => {
    expect((await new RpcClient(app.url).task('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED');
  };

  afterEach(async () => {
    ran.length = 0;
    for (const app of apps.splice(0)) await app.close();
  });

  it('finds a run whose wake-up was lost by its own look', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    api.app.get(RunQueue, { strict: false }).wake = () => undefined;
    await start({ ROLE: 'worker', KEY_PREFIX });
    const id = await send(api);
    await eventually(() => isCompleted(api, id), { timeoutMs: 2_000 });
  });

  it('serves many waiting runs with a few wake-ups: their number does not follow that of the runs', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const ids = await Promise.all(Array.from({ length: 60 }, () => send(api)));
    const queue = api.app.get(RunQueue, { strict: false });
    await eventually(async () => expect((await queue.counts()).waiting).toBe(60));
    expect(await queue.wakeUps()).toBeLessThanOrEqual(8);

    await start({ ROLE: 'worker', KEY_PREFIX, WORKER_CONCURRENCY: '7' });
    await eventually(() => expect(ran).toHaveLength(60), { timeoutMs: 10_000 });
    expect(new Set(ran)).toEqual(new Set(ids));
    await eventually(async () => expect(await queue.counts()).toMatchObject({ waiting: 0, wakeups: 0 }));
  });

  it('closes the gap at the end of a wake-up: a run that came meanwhile is found when its job is gone', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const api = await start({ ROLE: 'api', KEY_PREFIX });
    const worker = await start({ ROLE: 'worker', KEY_PREFIX });
    // Every id of a wake-up is in use for as long as one of them is under way, as it is for a moment at each one's end.
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
    const began = Date.now();
    await send(api);
    await eventually(() => expect(ran).toHaveLength(2), { intervalMs: 5 });
    expect(ran).toContain(id);
    expect(Date.now() - began).toBeLessThan(450);
  });

  it('goes on with the next waiting run when one ends, and runs none twice', async () => {
    const KEY_PREFIX = `test-${randomUUID()}`;
    const all = await start({ ROLE: 'all', KEY_PREFIX, WORKER_CONCURRENCY: '2' });
    const began = Date.now();
    const ids = await Promise.all(Array.from({ length: 20 }, () => send(all, 'long')));
    await eventually(() => expect(ran).toHaveLength(20), { timeoutMs: 10_000 });
    expect(new Set(ran)).toEqual(new Set(ids));
    // Ten pairs of 30 ms; a slot that waited for the next poll would cost 500 ms each time.
    expect(Date.now() - began).toBeLessThan(2_500);
    await eventually(() => isCompleted(all, ids.at(-1) ?? ''));
  });

  it('drops from the queue runs of tasks that are gone, so that they keep no slot from others', async () => {
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
