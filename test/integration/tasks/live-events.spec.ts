import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { LiveEvents } from '../../../src/tasks/commit/live-events.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { anAnswer, done, OWNER, progress } from '../../kit/tasks/task-stores.js';

describe(LiveEvents.name, () => {
  const stores = useTaskStores();

  /** A run of this process, and the names of the events that its readers here get. */
  async function begun(): Promise<{ readonly run: ClaimedRun; readonly seen: string[] }> {
    const outcome = await stores.now.create({}, { channel: 'worker' });
    if (outcome.kind !== 'created' || outcome.run === undefined) throw new Error('not claimed');
    const seen: string[] = [];
    stores.now.live.listen((_taskId, events) =>
      seen.push(...events().map(({ seq, nonce }) => `${String(seq)} ${nonce}`)),
    );
    return { run: outcome.run, seen };
  }

  async function usesModel(run: ClaimedRun): Promise<void> {
    const granted = await stores.now.trees.budget.reserve(run, { id: 'one', most: 20, least: 5, micros: 0 });
    if (granted.kind !== 'reserved') throw new Error('not reserved');
    await granted.settle({ input: 10, output: 5, micros: 0 });
  }

  it('brings the events of a run to readers in its process, as they are stored (I5)', async () => {
    const { run, seen } = await begun();

    await stores.now.runs.commit(run, run.seq, [progress, done]);

    const logged = await stores.now.log.from(run.taskId, 2, 10);
    expect(seen).toEqual(logged.map(({ seq, nonce }) => `${String(seq)} ${nonce}`));
    expect(seen).toHaveLength(2);
  });

  it('says first that a message came for the next turn: the end of the run is not the end of the task', async () => {
    const { run, seen } = await begun();
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'hash');

    expect(await stores.now.runs.commit(run, run.seq, [progress, done])).toMatchObject({ kind: 'next-turn' });

    expect(seen[0]).toBe('0 -');
  });

  it('says first that a run has used language models: no event has that', async () => {
    const { run, seen } = await begun();
    await usesModel(run);

    await stores.now.runs.commit(run, run.seq, [progress, done]);

    expect(seen).toEqual(['0 -', `2 ${run.nonce}`, `3 ${run.nonce}`]);
  });

  it('says so in another process too', async () => {
    const lines: string[] = [];
    const { redis } = stores.now;
    if (!(redis instanceof Redis)) throw new Error('not one server');
    const listener = redis.duplicate();
    listener.on('message', (_channel, text) => lines.push(...text.split('\n')));
    await listener.subscribe('caller');
    const { id, fence } = await stores.now.submitted({ replyTo: 'caller' });
    const run = await stores.now.claimed(id, fence);
    await usesModel(run);

    await stores.now.runs.commit(run, run.seq, [done]);

    await eventually(() => {
      expect(lines.map((line) => line.split(' ').slice(0, 2))).toEqual([
        [id, '2'],
        [id, '0'],
        [id, '3'],
      ]);
    });
    listener.disconnect();
  });

  it('brings nothing of a run that has lost its task (I3)', async () => {
    const { run, seen } = await begun();
    await stores.now.runs.release(run, 'handed-over');

    expect(await stores.now.runs.commit(run, run.seq, [progress, done])).toEqual({ kind: 'lost' });

    expect(seen).toEqual([]);
  });
});
