import { describe, expect, it } from '@jest/globals';
import { SHARDS, shardOf } from '../../../src/tasks/task.keys.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage } from '../../kit/tasks/task-stores.js';

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
});
