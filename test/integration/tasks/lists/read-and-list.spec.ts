import { describe, expect, it } from '@jest/globals';
import { type TaskFilter, TaskIndex } from '../../../../src/tasks/lists/task-index.js';
import { taskIdAt } from '../../../../src/tasks/record/task-lists.js';
import { TaskStore } from '../../../../src/tasks/store/task.store.js';
import { eventually } from '../../../kit/run/eventually.js';
import { useTaskStores } from '../../../kit/tasks/store-suite.js';
import { shardOf } from '../../../../src/tasks/task.keys.js';
import { aMessage, anAnswer, asking, done, OWNER, piece, progress } from '../../../kit/tasks/task-stores.js';

describe(`${TaskStore.name}.read`, () => {
  const stores = useTaskStores();

  it('reads a task with the number of its latest event in one step (A2A-STRM-08)', async () => {
    const run = await stores.now.running();
    await stores.now.runs.commit(run, run.seq, [piece('a', 'x')]);

    const snapshot = await stores.now.tasks.read(OWNER, run.taskId);
    const last = (await stores.now.events(run.taskId)).at(-1);

    expect(snapshot).toMatchObject({ seq: 3, nonce: run.nonce, state: 'TASK_STATE_WORKING', contextId: run.contextId });
    expect(last).toMatchObject({ seq: 3, nonce: run.nonce });
  });

  it('shows a task to its owner only, and nothing to nobody', async () => {
    const { id } = await stores.now.submitted();

    expect(await stores.now.tasks.read('default/client:stranger', id)).toBeUndefined();
    expect(await stores.now.tasks.read(OWNER, 'f'.repeat(36))).toBeUndefined();
    expect(await stores.now.tasks.read(OWNER, `../${id}`)).toBeUndefined();
  });

  it('gives as many of the last messages as asked for (A2A-HIST-01, -02, -03)', async () => {
    const run = await stores.now.running();
    const answers = [anAnswer(run.taskId), anAnswer(run.taskId)];
    for (const answer of answers) await stores.now.tasks.resume(OWNER, answer, answer.messageId);
    const idsFor = async (historyLength: number | undefined): Promise<readonly string[] | undefined> => {
      const snapshot = await stores.now.tasks.read(OWNER, run.taskId, { historyLength });
      return snapshot?.task.value.history?.map(({ messageId }) => messageId);
    };

    expect(await idsFor(undefined)).toHaveLength(3);
    expect(await idsFor(0)).toBeUndefined();
    expect(await idsFor(1)).toEqual([answers[1]?.messageId]);
    expect(await idsFor(2)).toEqual(answers.map(({ messageId }) => messageId));
    expect(await idsFor(99)).toHaveLength(3);
  });

  it.each([
    ['small', 'x'],
    ['middling', 'x'.repeat(6_000)],
    ['large', 'x'.repeat(20_000)],
  ])('reads a %s task alike, however it comes from Redis', async (_size, text) => {
    const contextId = 'a\0b "c"\n';
    const run = await stores.now.running({ contextId, metadata: { note: 'ä\u2028' } });
    await stores.now.runs.commit(run, run.seq, [piece('a', text), done]);

    const whole = await stores.now.tasks.read(OWNER, run.taskId);
    const inParts = await stores.now.tasks.read(OWNER, run.taskId, { historyLength: 99 });

    expect(whole).toEqual(inParts);
    expect(whole?.task.text).toBe(inParts?.task.text);
    expect(whole?.task.value).toMatchObject({ contextId, metadata: { note: 'ä\u2028' }, artifacts: [{}] });
    expect(await stores.now.tasks.read('default/client:stranger', run.taskId)).toBeUndefined();
  });

  it('leaves artifacts out when told to (A2A-LIST-07)', async () => {
    const run = await stores.now.running();
    await stores.now.runs.commit(run, run.seq, [piece('a', 'x'), done]);

    expect(
      (await stores.now.tasks.read(OWNER, run.taskId, { artifacts: false }))?.task.value.artifacts,
    ).toBeUndefined();
    expect((await stores.now.tasks.read(OWNER, run.taskId))?.task.value.artifacts).toHaveLength(1);
  });
});

describe(TaskIndex.name, () => {
  const stores = useTaskStores();

  const listed = async (filter: TaskFilter = {}, limit = 100): Promise<readonly string[]> =>
    (await stores.now.index.list(OWNER, filter, { limit })).tasks.map(({ entry }) => taskIdAt(entry));

  it('lists tasks by the time of their status, youngest first (A2A-LIST-02)', async () => {
    const { id: first } = await stores.now.submitted();
    const second = await stores.now.running();
    const stamps = await Promise.all([first, second.taskId].map((id) => stores.now.ms(id)));
    const expected = stamps[0] === stamps[1] ? [first, second.taskId].sort().reverse() : [second.taskId, first];

    expect(await listed()).toEqual(expected);
  });

  it('filters by context, by state and by both, and counts exactly', async () => {
    const a = await stores.now.running({ contextId: 'a' });
    const b = await stores.now.completed({ contextId: 'b' });
    const ab = await stores.now.completed({ contextId: 'a' });
    await stores.now.completed({ owner: 'default/client:stranger', contextId: 'a' });

    expect([...(await listed())].sort()).toEqual([a.taskId, b.taskId, ab.taskId].sort());
    expect([...(await listed({ contextId: 'a' }))].sort()).toEqual([a.taskId, ab.taskId].sort());
    expect([...(await listed({ state: 'TASK_STATE_COMPLETED' }))].sort()).toEqual([b.taskId, ab.taskId].sort());
    expect(await listed({ contextId: 'a', state: 'TASK_STATE_COMPLETED' })).toEqual([ab.taskId]);
    expect((await stores.now.index.list(OWNER, { contextId: 'a' }, { limit: 1 })).total).toBe(2);
  });

  it('does not mistake a context that is named like a filter for one', async () => {
    const odd = ['s:TASK_STATE_COMPLETED', 'b:TASK_STATE_WORKING:x', 'a:c:b', ''];
    const made = await Promise.all(odd.map((contextId) => stores.now.running({ contextId: contextId || 'plain' })));

    for (const run of made) expect(await listed({ contextId: run.contextId })).toEqual([run.taskId]);
    expect(await listed({ state: 'TASK_STATE_COMPLETED' })).toEqual([]);
  });

  it('lists tasks whose status is at least as young as asked for, and counts them (TRAP-36)', async () => {
    const { taskId } = await stores.now.completed();
    const ms = Number(await stores.now.ms(taskId));

    expect(await listed({ since: ms })).toEqual([taskId]);
    expect(await listed({ since: ms + 1 })).toEqual([]);
    expect((await stores.now.index.list(OWNER, { since: ms + 1 }, { limit: 10 })).total).toBe(0);
  });

  it('pages through everything once, although tasks change and go between pages (TRAP-65, A2A-LIST-03)', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => stores.now.completed()));
    const seen: string[] = [];
    let after: string | undefined;
    for (;;) {
      const { tasks, next } = await stores.now.index.list(OWNER, {}, { after, limit: 7 });
      seen.push(...tasks.map(({ entry }) => taskIdAt(entry)));
      if (next === undefined) break;
      after = next;
      await stores.now.sweeps.purge(taskIdAt(after), 'finished');
      await stores.now.submitted();
    }

    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort()).toEqual(made.map(({ taskId }) => taskId).sort());
  });

  it('finds a whole page of tasks that all lie in one shard', async () => {
    const messages = Array.from({ length: 400 }, () => aMessage());
    const isFirst = ({ messageId }: { messageId: string }) =>
      shardOf(stores.now.tasks.newIdentity(OWNER, 'tests', messageId).id) === 0;
    const crowd = messages.filter(isFirst);
    for (const message of crowd) await stores.now.create({ message });

    const { tasks, total } = await stores.now.index.list(OWNER, {}, { limit: crowd.length - 1 });
    const entries = tasks.map(({ entry }) => entry);

    expect(total).toBe(crowd.length);
    expect(new Set(entries.map(taskIdAt)).size).toBe(crowd.length - 1);
    expect([...entries].sort().reverse()).toEqual(entries);
  });

  it.each([{}, { historyLength: 1, artifacts: false }, { historyLength: 0 }])(
    'shows tasks as they are read: %j',
    async (shown) => {
      const run = await stores.now.running({ contextId: 'é "/\n', metadata: { a: ['b'] } });
      const message = aMessage({ role: 'ROLE_AGENT' });
      await stores.now.runs.commit(run, run.seq, [
        { ...progress, message },
        piece('one', 'x'),
        piece('one', 'y', true),
        piece('two', 'z'),
        { ...asking, message },
      ]);
      await stores.now.completed();

      const { tasks } = await stores.now.index.list(OWNER, {}, { limit: 10, shown });

      for (const { entry, task } of tasks) {
        const read = await stores.now.tasks.read(OWNER, taskIdAt(entry), shown);
        expect(JSON.parse(task)).toEqual(read?.task.value);
      }
      expect(tasks).toHaveLength(2);
    },
  );

  it('keeps the entry of a task that gets an artifact (TRAP-19)', async () => {
    const run = await stores.now.running();
    const before = await stores.now.ms(run.taskId);
    const { timestamp } = (await stores.now.task(run.taskId)).status;
    await eventually(() => expect(Date.now()).toBeGreaterThan(Number(before)));
    await stores.now.runs.commit(run, run.seq, [piece('a', 'x')]);

    const task = await stores.now.task(run.taskId);
    expect(task.artifacts).toHaveLength(1);
    expect(task.status.timestamp).toBe(timestamp);
    expect(await stores.now.ms(run.taskId)).toBe(before);
    expect(await listed({ since: Number(before) + 1 })).toEqual([]);
  });

  it('moves a task to the top of the list when its status changes', async () => {
    const run = await stores.now.running();
    await stores.now.submitted();
    const before = await stores.now.ms(run.taskId);
    await stores.now.runs.commit(run, run.seq, [asking]);

    expect(Number(await stores.now.ms(run.taskId))).toBeGreaterThanOrEqual(Number(before));
    expect(await listed({ state: 'TASK_STATE_WORKING' })).toEqual([]);
    expect(await listed({ state: 'TASK_STATE_INPUT_REQUIRED' })).toEqual([run.taskId]);
  });
});
