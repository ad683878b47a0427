import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Message } from '../../../src/protocol/message.js';
import { givenRun, type LentSlot } from '../../../src/task/lent-run.js';
import { SHARDS, shardOf } from '../../../src/task/task.keys.js';
import { TaskStore } from '../../../src/task/task.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, done, OWNER, progress } from '../../kit/tasks/task-stores.js';

describe(`${TaskStore.name}.create`, () => {
  const stores = useTaskStores();

  it('stores the task with its first event, its message and its run request in one step', async () => {
    const { id, fence } = await stores.now.submitted();

    const task = await stores.now.task(id);
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(task.history).toHaveLength(1);
    expect(task.history?.[0]).toMatchObject({ taskId: id, contextId: task.contextId, role: 'ROLE_USER' });
    expect((await stores.now.events(id)).map(({ seq }) => seq)).toEqual([1]);
    expect(await stores.now.redis.zscore(stores.now.keys.dueOf(id), id)).not.toBeNull();
    expect(fence).toBe(1);
  });

  it('makes a context when the message names none and keeps the one it names (A2A-SEND-09)', async () => {
    const made = await stores.now.submitted();
    const named = await stores.now.submitted({ contextId: 'my-context' });

    expect((await stores.now.task(made.id)).contextId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await stores.now.task(named.id)).contextId).toBe('my-context');
  });

  it('finds the task that the same message of the same owner made (A2A-SEND-14)', async () => {
    const message = aMessage();
    const { id } = await stores.now.submitted({ message });

    expect(await stores.now.create({ message })).toEqual({ kind: 'sent', taskId: id });
  });

  it('finds it although it has finished meanwhile', async () => {
    const message = aMessage();
    const { taskId } = await stores.now.completed({ message });

    expect(await stores.now.create({ message })).toEqual({ kind: 'sent', taskId });
  });

  it('makes one task of ten concurrent sends of one message (SEED-49)', async () => {
    const message = aMessage();

    const outcomes = await Promise.all(Array.from({ length: 10 }, () => stores.now.create({ message })));

    expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'sent')).toHaveLength(9);
    expect(new Set(outcomes.map((outcome) => ('taskId' in outcome ? outcome.taskId : ''))).size).toBe(1);
  });

  it('refuses another body under a message id that was used', async () => {
    const message = aMessage();
    await stores.now.submitted({ message });

    expect(await stores.now.create({ message: { ...message, parts: [{ text: 'other' }] } })).toEqual({
      kind: 'conflict',
    });
  });

  it('does not mix up the message ids of two owners', async () => {
    const message = aMessage();
    await stores.now.submitted({ message });

    expect(await stores.now.create({ message, owner: 'default/client:others' })).toMatchObject({ kind: 'created' });
  });

  it('finishes a task at once that no skill will run', async () => {
    const outcome = await stores.now.create({ routing: { rejection: 'No skill fits.' } });

    expect(outcome).toMatchObject({ kind: 'created', fence: 0 });
    const task = await stores.now.task('taskId' in outcome ? outcome.taskId : '');
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { parts: [{ text: 'No skill fits.' }] },
    });
  });

  it('stores what the client sent as it came', async () => {
    const parts = [
      { data: { empty: [], big: 9_007_199_254_740_993n.toString(), deep: { nothing: null } } },
      { text: '„ü"\n' },
    ];
    const { id } = await stores.now.submitted({ message: aMessage({ parts }), metadata: { list: [], object: {} } });

    const task = await stores.now.task(id);
    expect(task.history?.[0]?.parts).toEqual(parts);
    expect(task.metadata).toEqual({ list: [], object: {} });
  });

  it('spreads tasks over all shards and keeps every key of one in its slot', async () => {
    const made = await Promise.all(Array.from({ length: 400 }, () => stores.now.submitted()));

    expect(new Set(made.map(({ id }) => shardOf(id))).size).toBe(SHARDS);
  });

  describe('with a slot that a worker has lent', () => {
    const aSlot = (released: string[] = []): LentSlot => ({
      ...{ channel: 'p:process:w1:runs', lender: `lent-${randomUUID()}`, borrower: 'p:process:a1:borrows' },
      release: () => void released.push('released'),
    });

    /** What the worker of the slot hears. */
    async function heardBy({ lender }: LentSlot): Promise<{ readonly heard: string[]; readonly stop: () => void }> {
      const heard: string[] = [];
      const { redis } = stores.now;
      if (!(redis instanceof Redis)) throw new Error('not one server');
      const subscriber = redis.duplicate();
      subscriber.on('message', (_channel, message) => heard.push(message));
      await subscriber.subscribe(lender);
      return { heard, stop: subscriber.disconnect.bind(subscriber) };
    }

    it('claims the run for the worker and gives it all that a claim would have given', async () => {
      const lent = aSlot();
      const { heard, stop } = await heardBy(lent);
      const metadata = { mood: 'good' };
      // The name of the field with the message, as a value.
      const made = await stores.now.create(
        { metadata, replyTo: 'replies', contextId: 'h' },
        { channel: lent.channel, lent },
      );

      expect(made).toMatchObject({ kind: 'created', isGiven: true, run: undefined });
      await eventually(() => expect(heard).toHaveLength(1));
      stop();
      const { borrower, run, claimedAt } = givenRun(heard[0] ?? '', lent.channel);
      expect(borrower).toBe(lent.borrower);
      expect(Math.abs(claimedAt - Date.now())).toBeLessThan(60_000);
      expect(run).toMatchObject({ turn: 1, attempt: 1, seq: 1, fence: 1, skillId: 'echo', metadata, reply: 'replies' });
      expect(run.messages).toEqual((await stores.now.task(run.taskId)).history);
      expect(await stores.now.queue.waiting()).toBe(0);
      expect(await stores.now.runs.commit(run, run.seq, [progress, done])).toMatchObject({ kind: 'committed', seq: 3 });
      expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_COMPLETED');
    });

    it('puts the run into the fair queue where nobody hears the lender, or the message is large', async () => {
      const lent = aSlot();
      const lost = await stores.now.create({}, { channel: lent.channel, lent });
      const { heard, stop } = await heardBy(lent);
      const message = { ...aMessage(), parts: [{ text: 'x'.repeat(20_000) }] };
      const large = await stores.now.create({ message }, { channel: lent.channel, lent });
      stop();

      for (const made of [lost, large]) expect(made).toMatchObject({ kind: 'created', isGiven: false });
      expect(heard).toEqual([]);
      expect(await stores.now.queue.waiting()).toBe(2);
      for (const made of [lost, large])
        if (made.kind === 'created') expect((await stores.now.claimed(made.taskId, 1)).attempt).toBe(1);
    });

    it('lets runs go first that wait, and gives nothing meanwhile (I11)', async () => {
      const lent = aSlot();
      const { heard, stop } = await heardBy(lent);
      const { id } = await stores.now.submitted();
      // The fair queue is that of a shard.
      const inShardOf = (): Message => {
        const message = aMessage();
        const { tasks } = stores.now;
        return shardOf(tasks.newIdentity(OWNER, 'tests', message.messageId).id) === shardOf(id) ? message : inShardOf();
      };
      const made = await stores.now.create({ message: inShardOf() }, { channel: lent.channel, lent });
      stop();

      expect(made).toMatchObject({ kind: 'created', isGiven: false });
      expect(heard).toEqual([]);
    });

    it('is rescued by the sweep where the worker dies before it reads the run', async () => {
      const lent = aSlot();
      const { heard, stop } = await heardBy(lent);
      const brief = stores.now.with({ leaseMs: 0 });
      const made = await brief.create({}, { channel: lent.channel, lent });
      if (made.kind !== 'created') throw new Error('not created');
      await eventually(() => expect(heard).toHaveLength(1));
      stop();

      await eventually(async () =>
        expect(await brief.sweeps.evaluate(made.taskId)).toEqual({ kind: 'again', fence: 2 }),
      );
      const { run } = givenRun(heard[0] ?? '', lent.channel);
      expect(await stores.now.runs.commit(run, run.seq, [progress, done])).toEqual({ kind: 'lost' });
      expect(await stores.now.runs.release(run, 'handed-over')).toBeUndefined();
    });

    it('gives the run once when the reply of the script is lost and it is sent again', async () => {
      const lent = aSlot();
      const { heard, stop } = await heardBy(lent);
      const evalsha = stores.now.redis.evalsha.bind(stores.now.redis) as (...args: unknown[]) => Promise<unknown>;
      let sends = 0;
      Object.assign(stores.now.redis, {
        evalsha: async (...args: unknown[]) => {
          sends += 1;
          await evalsha(...args);
          return evalsha(...args);
        },
      });
      const made = await stores.now.create({}, { channel: lent.channel, lent });
      Object.assign(stores.now.redis, { evalsha });

      expect(sends).toBe(1);
      expect(made).toMatchObject({ kind: 'created', isGiven: true });
      await eventually(() => expect(heard).toHaveLength(1));
      stop();
    });
  });
});
