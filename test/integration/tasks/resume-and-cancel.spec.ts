import { describe, expect, it } from '@jest/globals';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { anAnswer, asking, done, OWNER, progress } from '../../kit/tasks/task-stores.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const STRANGER = 'default/client:stranger';

describe(`${TaskStore.name}.resume`, () => {
  const stores = useTaskStores();

  it('begins the next turn of a task that waits', async () => {
    const run = await stores.now.waiting();
    const answer = anAnswer(run.taskId);

    const outcome = await stores.now.tasks.resume(OWNER, answer, 'h');

    expect(outcome).toMatchObject({ kind: 'resumed', seq: 4 });
    expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_WORKING');
    const next = await stores.now.claimed(run.taskId, 'fence' in outcome ? outcome.fence : 0);
    expect(next).toMatchObject({ turn: 2, attempt: 1 });
    expect(next.messages.map(({ messageId }) => messageId)).toEqual([answer.messageId]);
    expect(next.history).toHaveLength(2);
  });

  it('keeps the output modes and the metadata that the next message brings, and those before where it brings none', async () => {
    const run = await stores.now.waiting();
    const asked = { acceptedOutputModes: ['text/*'], metadata: { a: 1 } };

    const outcome = await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'h', asked);
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'i');

    expect(await stores.now.claimed(run.taskId, 'fence' in outcome ? outcome.fence : 0)).toMatchObject(asked);
    expect(await stores.now.tasks.begun(OWNER, run.taskId)).toMatchObject({ metadata: { a: 1 } });
    expect(await stores.now.tasks.begun(STRANGER, run.taskId)).toBeUndefined();
  });

  it('stores a webhook with the message that it accepts, and before the event that the message causes (M4)', async () => {
    const run = await stores.now.waiting();
    const push = { id: 'c1', record: '{}', most: 1 };
    expect(await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'h', { push })).toMatchObject({
      kind: 'resumed',
    });
    const queued = await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'i', { push: { ...push, id: 'c1' } });
    expect(queued).toMatchObject({ kind: 'queued' });
    expect(await webhooksOf(run.taskId)).toMatchObject({ 'config:c1': '{}', 'next:c1': '4' });
    const another = stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'j', { push: { ...push, id: 'c2' } });
    expect(await another).toEqual({ kind: 'too-many-webhooks' });
    expect(await webhooksOf(run.taskId)).not.toHaveProperty('config:c2');
  });

  it('stores nothing of a webhook whose message it refuses (M4)', async () => {
    const push = { id: 'c1', record: '{}', most: 10 };
    const run = await stores.now.waiting();
    const answer = anAnswer(run.taskId);
    await stores.now.tasks.resume(OWNER, answer, 'h');
    const { tasks } = stores.now;
    const outcomes = [
      await tasks.resume(OWNER, answer, 'other', { push }),
      await tasks.resume(OWNER, { ...anAnswer(run.taskId), contextId: 'elsewhere' }, 'h', { push }),
      await tasks.resume(STRANGER, anAnswer(run.taskId), 'h', { push }),
    ];
    expect(outcomes.map(({ kind }) => kind)).toEqual(['conflict', 'context-mismatch', 'not-found']);
    expect(await webhooksOf(run.taskId)).toEqual({});
    await stores.now.tasks.cancel(OWNER, run.taskId);
    expect(await tasks.resume(OWNER, anAnswer(run.taskId), 'h', { push })).toMatchObject({ kind: 'terminal' });
    expect(await webhooksOf(run.taskId)).toEqual({});
  });

  function webhooksOf(taskId: string): Promise<Record<string, string>> {
    return stores.now.redis.hgetall(new PushKeys(stores.now.options.keyPrefix).push(taskId));
  }

  it('lets one of two concurrent answers begin the turn; the other stands in line', async () => {
    const run = await stores.now.waiting();

    const outcomes = await Promise.all([
      stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'a'),
      stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'b'),
    ]);

    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['queued', 'resumed']);
  });

  it('counts the same answer once, however often it is sent', async () => {
    const run = await stores.now.waiting();
    const answer = anAnswer(run.taskId);

    const outcomes = await Promise.all(Array.from({ length: 5 }, () => stores.now.tasks.resume(OWNER, answer, 'h')));

    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['resumed', 'sent', 'sent', 'sent', 'sent']);
    expect((await stores.now.task(run.taskId)).history).toHaveLength(2);
  });

  it('counts a message that stood in line once, although it is sent again in the turn that it began', async () => {
    const run = await stores.now.running();
    const message = anAnswer(run.taskId);
    await stores.now.tasks.resume(OWNER, message, 'h');
    await stores.now.runs.commit(run, run.seq, [done]);

    expect(await stores.now.tasks.resume(OWNER, message, 'h')).toMatchObject({ kind: 'sent' });
    expect((await stores.now.task(run.taskId)).history).toHaveLength(2);
  });

  it('refuses another body under a message id of this turn', async () => {
    const run = await stores.now.running();
    const answer = anAnswer(run.taskId);
    await stores.now.tasks.resume(OWNER, answer, 'h');

    expect(await stores.now.tasks.resume(OWNER, answer, 'other')).toEqual({ kind: 'conflict' });
  });

  it.each([
    ['with the next question open', asking],
    ['after the end of the task', done],
  ])('takes the id of a message once, %s too (B1, MCP-SEC-5)', async (_when, end) => {
    const first = await stores.now.waiting();
    const answer = anAnswer(first.taskId);
    const resumed = await stores.now.tasks.resume(OWNER, answer, 'h');
    const second = await stores.now.claimed(first.taskId, 'fence' in resumed ? resumed.fence : 0);
    await stores.now.runs.commit(second, second.seq, [end]);
    const { state } = (await stores.now.task(first.taskId)).status;

    expect(await stores.now.tasks.resume(OWNER, answer, 'h')).toMatchObject({ kind: 'sent' });
    expect(await stores.now.tasks.resume(OWNER, answer, 'other')).toEqual({ kind: 'conflict' });
    expect((await stores.now.task(first.taskId)).status.state).toBe(state);
    const kind = end === done ? 'terminal' : 'resumed';
    expect(await stores.now.tasks.resume(OWNER, anAnswer(first.taskId), 'h')).toMatchObject({ kind });
  });

  it.each(['1 h', '1 !h'])(
    'recognises a message by the mark "%s" that an earlier version has written (B1)',
    async (mark) => {
      const { taskId } = await stores.now.waiting();
      const answer = anAnswer(taskId);
      await stores.now.tasks.resume(OWNER, answer, 'new');
      await stores.now.redis.hset(stores.now.keys.messages(taskId), answer.messageId, mark);

      expect(await stores.now.tasks.resume(OWNER, answer, 'h')).toMatchObject({ kind: 'sent' });
      expect(await stores.now.tasks.resume(OWNER, answer, 'other')).toEqual({ kind: 'conflict' });
    },
  );

  it('asks the question of a turn although a message came before it, and takes that message for no answer (M5)', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId, { messageId: 'early' }), 'h');
    expect(await stores.now.runs.commit(run, run.seq, [asking])).toMatchObject({ kind: 'committed' });
    const asked = (await stores.now.events(run.taskId)).at(-1);
    expect(asked?.event.value).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    const outcome = await stores.now.tasks.resume(OWNER, anAnswer(run.taskId, { messageId: 'answer' }), 'h');
    const next = await stores.now.claimed(run.taskId, 'fence' in outcome ? outcome.fence : 0);

    expect(next.messages.map(({ messageId }) => messageId)).toEqual(['answer']);
    expect(next.history.map(({ messageId }) => messageId)).toContain('early');
    await stores.now.sweeps.purge(run.taskId, 'whatever');
  });

  it('counts the messages that wait and copies none of them, however many there are (L5)', async () => {
    const run = await stores.now.running();
    const send = (messageId: string) => stores.now.tasks.resume(OWNER, anAnswer(run.taskId, { messageId }), 'h');
    await send('first');
    const early = await stores.now.field(run.taskId, 'q');
    for (let n = 2; n <= 500; n += 1) await send(`m${String(n)}`);

    expect([early, await stores.now.field(run.taskId, 'q')]).toEqual(['0 1 1', '0 1 500']);
    await stores.now.sweeps.purge(run.taskId, 'whatever');
  });

  it('keeps messages to a running task in order for its next turn', async () => {
    const run = await stores.now.running();
    const answers = [anAnswer(run.taskId), anAnswer(run.taskId), anAnswer(run.taskId)];
    for (const answer of answers) {
      expect(await stores.now.tasks.resume(OWNER, answer, answer.messageId)).toMatchObject({ kind: 'queued' });
    }
    const outcome = await stores.now.runs.commit(run, run.seq, [done]);

    const next = await stores.now.claimed(run.taskId, 'fence' in outcome ? outcome.fence : 0);
    expect(next.messages.map(({ messageId }) => messageId)).toEqual(answers.map(({ messageId }) => messageId));
  });

  it('gives a message to a submitted task to its first run', async () => {
    const { id, fence } = await stores.now.submitted();
    await stores.now.tasks.resume(OWNER, anAnswer(id), 'h');

    expect((await stores.now.claimed(id, fence)).messages).toHaveLength(2);
  });

  it('refuses a message to a finished task, in another context, of a stranger, to nothing', async () => {
    const { taskId } = await stores.now.completed();
    const waiting = await stores.now.waiting();
    const elsewhere = anAnswer(waiting.taskId, { contextId: 'elsewhere' });

    expect(await stores.now.tasks.resume(OWNER, anAnswer(taskId), 'h')).toEqual({
      kind: 'terminal',
      state: 'TASK_STATE_COMPLETED',
    });
    expect(await stores.now.tasks.resume(OWNER, elsewhere, 'h')).toEqual({ kind: 'context-mismatch' });
    expect(await stores.now.tasks.resume(STRANGER, anAnswer(waiting.taskId), 'h')).toEqual({ kind: 'not-found' });
    expect(await stores.now.tasks.resume(OWNER, anAnswer(NOBODY), 'h')).toEqual({ kind: 'not-found' });
    expect(await stores.now.tasks.resume(OWNER, anAnswer('no-task-id'), 'h')).toEqual({ kind: 'not-found' });
  });
});

describe(`${TaskStore.name}.cancel`, () => {
  const stores = useTaskStores();

  it.each(['submitted', 'waiting'] as const)('cancels a %s task at once', async (state) => {
    const made = await stores.now[state]();
    const id = 'id' in made ? made.id : made.taskId;

    expect(await stores.now.tasks.cancel(OWNER, id)).toMatchObject({ kind: 'canceled' });
    expect((await stores.now.task(id)).status.state).toBe('TASK_STATE_CANCELED');
    expect(await stores.now.runs.claim(id, made.fence, 'w')).toEqual({ kind: 'terminal' });
  });

  it('cancels a task at once whose worker is lost', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    expect(await stores.now.tasks.cancel(OWNER, run.taskId)).toMatchObject({ kind: 'canceled' });
    expect(await stores.now.runs.commit(run, run.seq, [done])).toEqual({ kind: 'lost' });
  });

  it('tells the worker of a running task, and lets the sweep overrule it after the grace', async () => {
    const run = await stores.now.running();

    expect(await stores.now.tasks.cancel(OWNER, run.taskId)).toEqual({ kind: 'requested', seq: run.seq });
    expect(await stores.now.tasks.cancel(OWNER, run.taskId)).toMatchObject({ kind: 'requested' });
    expect(await stores.now.sweeps.evaluate(run.taskId)).toEqual({ kind: 'later' });
    await stores.now.expireCancelGrace(run.taskId);
    expect(await stores.now.sweeps.evaluate(run.taskId)).toMatchObject({ kind: 'end', why: 'CANCEL_OVERDUE' });
  });

  it('ends the task at once when cancel is repeated after the grace', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, run.taskId);
    await stores.now.expireCancelGrace(run.taskId);

    expect(await stores.now.tasks.cancel(OWNER, run.taskId)).toMatchObject({ kind: 'canceled' });
  });

  it('ends a canceled task when its worker is lost or has released it', async () => {
    const lost = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, lost.taskId);
    await stores.now.expireLease(lost.taskId);
    const released = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, released.taskId);
    await stores.now.runs.release(released, 'handed-over');

    for (const { taskId } of [lost, released]) {
      expect(await stores.now.sweeps.evaluate(taskId)).toMatchObject({ kind: 'end', why: 'CANCEL_OVERDUE' });
    }
  });

  it('refuses a finished task, a canceled one, that of a stranger, and a missing one (A2A-CANC-02)', async () => {
    const { taskId } = await stores.now.completed();
    const { id } = await stores.now.submitted();

    expect(await stores.now.tasks.cancel(OWNER, taskId)).toEqual({ kind: 'terminal', state: 'TASK_STATE_COMPLETED' });
    expect(await stores.now.tasks.cancel(STRANGER, id)).toEqual({ kind: 'not-found' });
    await stores.now.tasks.cancel(OWNER, id);
    expect(await stores.now.tasks.cancel(OWNER, id)).toEqual({ kind: 'terminal', state: 'TASK_STATE_CANCELED' });
    expect(await stores.now.tasks.cancel(OWNER, NOBODY)).toEqual({ kind: 'not-found' });
  });

  it('has one winner when a cancel meets the end of the run (A2A-CANC-06, TRAP-59)', async () => {
    const runs = await Promise.all(Array.from({ length: 50 }, () => stores.now.running()));

    await Promise.all(
      runs.map(async (run) => {
        const [canceled, committed] = await Promise.all([
          stores.now.tasks.cancel(OWNER, run.taskId),
          stores.now.runs.commit(run, run.seq, [progress, done]),
        ]);
        expect([canceled.kind, committed.kind]).toEqual(
          committed.kind === 'cancel' ? ['requested', 'cancel'] : ['terminal', 'committed'],
        );
      }),
    );
  });
});
