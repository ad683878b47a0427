import { describe, expect, it, jest } from '@jest/globals';
import { JournalFull, RunStore } from '../../../src/tasks/commit/run.store.js';
import { shardOf } from '../../../src/tasks/task.keys.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { anAnswer, asking, done, OWNER, piece, progress } from '../../kit/tasks/task-stores.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe(`${RunStore.name}.claim`, () => {
  const stores = useTaskStores();

  it('gives a run to one worker only', async () => {
    const { id, fence } = await stores.now.submitted();

    const claims = await Promise.all(['a', 'b', 'c'].map((worker) => stores.now.runs.claim(id, fence, worker)));

    expect(claims.map(({ kind }) => kind).sort()).toEqual(['claimed', 'stale', 'stale']);
  });

  it('counts once when it is sent again because its reply was lost', async () => {
    const { id, fence } = await stores.now.submitted();
    const sent = jest.spyOn(stores.now.redis, 'evalsha');
    const first = await stores.now.runs.claim(id, fence, 'worker');
    const command = sent.mock.lastCall ?? [];
    sent.mockRestore();

    const [verdict] = (await stores.now.redis.call('EVALSHA', ...command.map(String))) as [string];

    expect(first).toMatchObject({ kind: 'claimed', run: { attempt: 1, seq: 1 } });
    expect(verdict).toBe('CLAIMED');
    expect((await stores.now.word(id)).attempt).toBe(1);
  });

  it('tells the worker all that the skill needs', async () => {
    const run = await stores.now.running({ contextId: 'c1', metadata: { a: 1 }, acceptedOutputModes: ['text/plain'] });

    expect(run).toMatchObject({
      ...{ contextId: 'c1', owner: OWNER, tenant: 'default', client: 'tests', skillId: 'echo' },
      ...{ turn: 1, attempt: 1, seq: 2, metadata: { a: 1 }, acceptedOutputModes: ['text/plain'] },
    });
    expect(run.messages).toHaveLength(1);
    expect(run.history).toEqual(run.messages);
  });

  it('tells whether the task is WORKING already, which the first event of the run says', async () => {
    const { id, fence } = await stores.now.submitted();
    const first = await stores.now.runs.claim(id, fence, 'worker');
    const run = await stores.now.running();
    const handedOver = await stores.now.runs.release(run, 'handed-over');
    const second = await stores.now.runs.claim(run.taskId, handedOver ?? 0, 'worker');

    expect(first).toMatchObject({ kind: 'claimed', run: { isWorking: false, seq: 1 } });
    expect(second).toMatchObject({ kind: 'claimed', run: { isWorking: true, seq: 2 } });
  });

  it('refuses a run of an earlier fence, a finished task and a missing one', async () => {
    const run = await stores.now.running();
    await stores.now.runs.release(run, 'handed-over');
    const { taskId, fence } = await stores.now.completed();

    expect(await stores.now.runs.claim(run.taskId, run.fence, 'w')).toEqual({ kind: 'stale' });
    expect(await stores.now.runs.claim(taskId, fence, 'w')).toEqual({ kind: 'terminal' });
    expect(await stores.now.runs.claim(NOBODY, 1, 'w')).toEqual({ kind: 'gone' });
  });

  it('refuses a job that comes while the task waits for its caller', async () => {
    const run = await stores.now.waiting();

    expect(await stores.now.runs.claim(run.taskId, run.fence, 'w')).toEqual({ kind: 'stale' });
    expect(await stores.now.runs.claim(run.taskId, run.fence + 1, 'w')).toEqual({ kind: 'stale' });
  });
});

describe(`${RunStore.name}.commit`, () => {
  const stores = useTaskStores();

  it('writes several events in one step and numbers them', async () => {
    const run = await stores.now.running();

    const outcome = await stores.now.runs.commit(run, run.seq, [
      progress,
      piece('a', 'one'),
      piece('a', 'two', true),
      done,
    ]);

    expect(outcome).toEqual({ kind: 'committed', seq: run.seq + 4 });
    const task = await stores.now.task(run.taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'one' }, { text: 'two' }] }]);
  });

  it('moves the message of a status to the history when the next status comes', async () => {
    const run = await stores.now.running();
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'half' }] };
    await stores.now.runs.commit(run, run.seq, [{ ...progress, message }]);
    const before = await stores.now.task(run.taskId);
    await stores.now.runs.commit(run, run.seq + 1, [done]);
    const after = await stores.now.task(run.taskId);

    expect(before.status.message).toEqual(message);
    expect(before.history).toHaveLength(1);
    expect(after.status.message).toBeUndefined();
    expect(after.history?.[1]).toEqual(message);
  });

  it('refuses the writes of a run after which another one began (I3)', async () => {
    const zombie = await stores.now.running();
    await stores.now.expireLease(zombie.taskId);
    const verdict = await stores.now.sweeps.evaluate(zombie.taskId);
    await stores.now.claimed(zombie.taskId, 'fence' in verdict ? verdict.fence : 0);

    expect(await stores.now.runs.commit(zombie, zombie.seq, [done])).toEqual({ kind: 'lost' });
    expect(await stores.now.heartbeat(zombie)).toBe('lost');
    expect(await stores.now.runs.release(zombie, 'handed-over')).toBeUndefined();
    expect(await stores.now.runs.notebook.writeState(zombie, 'n', '1')).toBe(false);
    expect(await stores.now.events(zombie.taskId)).toHaveLength(2);
  });

  it('refuses the right fence with another nonce', async () => {
    const run = await stores.now.running();

    expect(await stores.now.runs.commit({ ...run, nonce: 'other' }, run.seq, [done])).toEqual({ kind: 'lost' });
    expect(await stores.now.runs.commit({ ...run, nonce: '' }, run.seq, [done])).toEqual({ kind: 'lost' });
  });

  it('lets a run of an expired lease write until another one begins', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    expect(await stores.now.runs.commit(run, run.seq, [progress])).toMatchObject({ kind: 'committed' });
    expect(await stores.now.sweeps.evaluate(run.taskId)).toEqual({ kind: 'later' });
  });

  it('refuses everything after a terminal state (I2, A2A-STATE-01, SEED-06)', async () => {
    const run = await stores.now.completed();

    for (const write of [progress, done, piece('a', 'late'), asking]) {
      expect(await stores.now.runs.commit(run, run.seq + 1, [write])).toEqual({ kind: 'lost' });
    }
    expect(await stores.now.heartbeat(run)).toBe('lost');
    expect(await stores.now.runs.release(run, 'broken')).toBeUndefined();
  });

  it('tells a run of a cancel and writes nothing', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, run.taskId);

    expect(await stores.now.runs.commit(run, run.seq, [done])).toEqual({ kind: 'cancel' });
    expect(await stores.now.events(run.taskId)).toHaveLength(2);
  });

  it('refuses a batch whole when one event of it is not legal (A2A-ART-04, SEED-06, TRAP-51)', async () => {
    const run = await stores.now.running();

    await expect(stores.now.runs.commit(run, run.seq, [piece('a', 'x'), done, progress])).rejects.toThrow(RangeError);
    await expect(stores.now.runs.commit(run, run.seq, [progress, piece('b', 'x', true)])).rejects.toThrow(RangeError);
    expect(await stores.now.events(run.taskId)).toHaveLength(2);
    expect((await stores.now.task(run.taskId)).artifacts).toBeUndefined();
  });

  it('refuses a batch whole that goes on after the end of the turn', async () => {
    const run = await stores.now.running();

    await expect(stores.now.runs.commit(run, run.seq, [asking, progress])).rejects.toThrow(RangeError);
    await expect(stores.now.runs.commit(run, run.seq, [asking, piece('a', 'x')])).rejects.toThrow(RangeError);
    await expect(stores.now.runs.commit(run, run.seq, [done, piece('a', 'x')])).rejects.toThrow(RangeError);
    expect(await stores.now.events(run.taskId)).toHaveLength(2);
  });

  it('counts a commit once that is sent again because its reply was lost', async () => {
    const run = await stores.now.running();
    const writes = [progress, piece('a', 'x'), piece('a', 'y', true)];

    const first = await stores.now.runs.commit(run, run.seq, writes);
    const again = await stores.now.runs.commit(run, run.seq, writes);

    expect(again).toEqual(first);
    expect(await stores.now.events(run.taskId)).toHaveLength(5);
    expect((await stores.now.task(run.taskId)).artifacts?.[0]?.parts).toHaveLength(2);
  });

  it('replaces an artifact that is begun anew (A2A-ART-01)', async () => {
    const run = await stores.now.running();
    await stores.now.runs.commit(run, run.seq, [piece('a', 'x'), piece('a', 'y', true), piece('b', 'z')]);
    await stores.now.runs.commit(run, run.seq + 3, [piece('a', 'new')]);

    expect((await stores.now.task(run.taskId)).artifacts).toEqual([
      { artifactId: 'a', parts: [{ text: 'new' }] },
      { artifactId: 'b', parts: [{ text: 'z' }] },
    ]);
  });

  it('begins the next turn when messages wait for the one that ends', async () => {
    const run = await stores.now.running();
    const answer = anAnswer(run.taskId);
    await stores.now.tasks.resume(OWNER, answer, 'h');

    const outcome = await stores.now.runs.commit(run, run.seq, [done]);

    expect(outcome).toMatchObject({ kind: 'next-turn' });
    const next = await stores.now.claimed(run.taskId, 'fence' in outcome ? outcome.fence : 0);
    expect(next).toMatchObject({ turn: 2, attempt: 1 });
    expect(next.messages.map(({ messageId }) => messageId)).toEqual([answer.messageId]);
    expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_WORKING');
  });

  it('fails a task although messages wait', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'h');

    const outcome = await stores.now.runs.commit(run, run.seq, [{ kind: 'status', state: 'TASK_STATE_FAILED' }]);

    expect(outcome).toMatchObject({ kind: 'committed' });
    expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_FAILED');
  });

  it('gives a message that came before a re-run to the re-run', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'h');
    const fence = await stores.now.runs.release(run, 'broken');

    const again = await stores.now.claimed(run.taskId, fence ?? 0);
    expect(again.messages).toHaveLength(2);
    expect(await stores.now.runs.commit(again, again.seq, [done])).toMatchObject({ kind: 'committed' });
  });
});

describe(`${RunStore.name}: leases, journal and state`, () => {
  const stores = useTaskStores();

  it('keeps a lease alive and tells of a cancel', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    expect(await stores.now.heartbeat(run)).toBe('ok');
    expect(await stores.now.dueAt(run.taskId)).toBeGreaterThan(Date.now());
    await stores.now.tasks.cancel(OWNER, run.taskId);
    expect(await stores.now.heartbeat(run)).toBe('cancel');
  });

  it('does not count the attempt of a worker that leaves, and counts that of a broken run', async () => {
    const first = await stores.now.running();
    const second = await stores.now.claimed(first.taskId, (await stores.now.runs.release(first, 'handed-over')) ?? 0);
    const third = await stores.now.claimed(first.taskId, (await stores.now.runs.release(second, 'broken')) ?? 0);

    expect([first.attempt, second.attempt, third.attempt]).toEqual([1, 1, 2]);
  });

  it('releases once', async () => {
    const run = await stores.now.running();

    expect(await stores.now.runs.release(run, 'handed-over')).toBe(run.fence + 1);
    expect(await stores.now.runs.release(run, 'handed-over')).toBeUndefined();
  });

  it('journals steps for the turn and keeps state for the task', async () => {
    const run = await stores.now.running();
    await stores.now.runs.notebook.noteStep(run, 's', '{"value":1}');
    await stores.now.runs.notebook.writeState(run, 'n', '2');
    const rerun = await stores.now.claimed(run.taskId, (await stores.now.runs.release(run, 'broken')) ?? 0);
    expect(await stores.now.runs.notebook.readStep(rerun, 's')).toBe('{"value":1}');

    await stores.now.runs.commit(rerun, rerun.seq, [asking]);
    const resumed = await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'h');
    const next = await stores.now.claimed(run.taskId, 'fence' in resumed ? resumed.fence : 0);

    expect(await stores.now.runs.notebook.readStep(next, 's')).toBeNull();
    expect(await stores.now.runs.notebook.readState(next, 'n')).toBe('2');
  });

  it('bounds what a skill remembers, gives back what is replaced, and counts it for the client (I10)', async () => {
    const few = stores.now.with({ mostJournalBytes: 1_000 });
    const { id } = await few.submitted({ isCounted: true });
    const run = await few.claimed(id, 1);
    const sums = (): Promise<Record<string, string>> => few.redis.hgetall(few.keys.bytes(shardOf(id)));
    const before = await sums();
    const remember = (name: string, bytes: number): Promise<boolean> =>
      few.runs.notebook.writeState(run, name, `"${'x'.repeat(bytes - 2)}"`);

    expect(await remember('n', 900)).toBe(true);
    expect(await remember('n', 700)).toBe(true);
    await expect(remember('m', 400)).rejects.toThrow(JournalFull);
    expect(await few.runs.notebook.readState(run, 'm')).toBeNull();
    const grown = Object.entries(await sums()).map(([account, bytes]) => Number(bytes) - Number(before[account]));
    expect(grown).toEqual([701, 701]);
    await few.sweeps.purge(id, 'whatever');
    expect(await sums()).toEqual({});
  });
});
