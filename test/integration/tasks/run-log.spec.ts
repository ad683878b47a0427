import { describe, expect, it } from '@jest/globals';
import { TaskWorkReader } from '../../../src/tasks/store/task-work.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { done } from '../../kit/tasks/task-stores.js';

describe(TaskWorkReader.name, () => {
  const stores = useTaskStores();
  const work = (id: string) => new TaskWorkReader(stores.now.redis, stores.now.options).of(id);
  const channelOf = (worker: string): string => `${stores.now.keys.process(worker)}:runs`;

  async function claimed(id: string, worker: string) {
    const outcome = await stores.now.runs.claim(id, 'any', channelOf(worker));
    if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
    return outcome.run;
  }

  it('shows each run of a task: its worker, its times, how it ended', async () => {
    const { id } = await stores.now.submitted();
    const first = await claimed(id, 'w1');
    expect((await work(id)).runs).toEqual([{ turn: 1, attempt: 1, worker: 'w1', begun: expect.any(String) }]);
    await stores.now.runs.release(first, 'broken');
    const second = await claimed(id, 'w2');
    await stores.now.runs.release(second, 'handed-over');
    const lost = stores.now.with({ leaseMs: -1 });
    await lost.runs.claim(id, 'any', channelOf('w3'));
    await lost.sweeps.evaluate(id);
    const fourth = await claimed(id, 'w4');
    await stores.now.runs.commit(fourth, fourth.seq, [{ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' }]);

    const { runs } = await work(id);
    expect(runs.map(({ worker, attempt, how }) => [worker, attempt, how])).toEqual([
      ...[
        ['w1', 1, 'broken'],
        ['w2', 2, 'handed-over'],
      ],
      ...[
        ['w3', 2, 'lost'],
        ['w4', 3, 'input-required'],
      ],
    ]);
    for (const { begun, ended = '' } of runs) expect(ended >= begun).toBe(true);
  });

  it('shows the run that is claimed with its task, whose end is one commit', async () => {
    const outcome = await stores.now.create({}, { channel: channelOf('w1') });
    if (outcome.kind !== 'created' || outcome.run === undefined) throw new Error('The run was not claimed');
    await stores.now.runs.commit(outcome.run, 1, [done]);
    expect(await work(outcome.taskId)).toMatchObject({
      runs: [{ turn: 1, attempt: 1, worker: 'w1', how: 'completed' }],
      bytes: { messages: expect.any(Number), results: expect.any(Number) },
    });
  });

  it('shows no run of a task that had to wait, and how many are ahead of it', async () => {
    // In every shard some wait, so that no run begins with its task.
    await Promise.all(Array.from({ length: 200 }, () => stores.now.submitted()));
    const outcome = await stores.now.create({}, { channel: channelOf('w1') });
    if (outcome.kind !== 'created') throw new Error(outcome.kind);
    expect(outcome.run).toBeUndefined();
    const { runs, ahead } = await work(outcome.taskId);
    expect(runs).toEqual([]);
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThanOrEqual(200);
    const [next] = await stores.now.queue.heads(1, 'all');
    expect((await work(next?.taskId ?? '')).ahead).toBe(0);
  });

  it('shows how a run ended that was canceled from outside', async () => {
    const run = await stores.now.running();
    await stores.now.sweeps.settle(run.taskId, run.fence, 'TASK_STATE_CANCELED');
    expect((await work(run.taskId)).runs).toMatchObject([{ how: 'canceled' }]);
  });

  it('shows that a run has parked its task, and the one that goes on', async () => {
    const { id } = await stores.now.submitted();
    const run = await claimed(id, 'w1');
    const wait = { until: Date.now() - 1, signals: [], known: 0 };
    expect(await stores.now.runs.park(run, run.seq, { writes: [], wait, notes: { entries: [], read: [] } })).toBe(
      'parked',
    );
    expect((await work(id)).runs).toMatchObject([{ worker: 'w1', how: 'parked' }]);
    expect((await stores.now.sweeps.wake(10)).woken).toBe(1);
    await claimed(id, 'w2');
    expect((await work(id)).runs).toMatchObject([{ how: 'parked' }, { worker: 'w2' }]);
  });

  it('shows the steps of a skill with their times and sizes', async () => {
    const run = await stores.now.running();
    await stores.now.runs.notebook.noteStep(run, 'second: one', '{"at":1800000000500,"ms":12,"value":"x"}');
    await stores.now.runs.notebook.noteStep(run, 'first', '{"at":1800000000000,"ms":7,"value":1}');
    await stores.now.runs.notebook.noteStep(run, 'large', JSON.stringify({ at: 1, ms: 1, value: 'x'.repeat(70_000) }));
    expect((await work(run.taskId)).steps).toEqual([
      { turn: 1, name: 'large', bytes: 70_026 },
      { turn: 1, name: 'first', bytes: 37, begun: '2027-01-15T08:00:00.000Z', ms: 7 },
      { turn: 1, name: 'second: one', bytes: 40, begun: '2027-01-15T08:00:00.500Z', ms: 12 },
    ]);
  });

  it('keeps fifty runs', async () => {
    const { id } = await stores.now.submitted();
    for (let run = 1; run <= 60; run += 1) {
      await stores.now.runs.release(await claimed(id, `w${run}`), 'handed-over');
    }
    const { runs } = await work(id);
    expect(runs.at(-1)?.worker).toBe('w60');
    expect(runs.length).toBeLessThanOrEqual(50);
    const fields = await stores.now.redis.hkeys(stores.now.keys.task(id));
    expect(fields.filter((name) => /^R\d/.test(name)).length).toBeLessThanOrEqual(51);
  });
});
