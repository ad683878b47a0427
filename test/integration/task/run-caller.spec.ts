import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Conclusion, RunCaller } from '../../../src/task/run-caller.js';
import type { ClaimedRun } from '../../../src/task/run.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { anAnswer, done, OWNER, progress } from '../../kit/tasks/task-stores.js';

/** Writes down what it is given. */
class Recorder implements RunCaller {
  readonly seen: string[] = [];
  conclusion: Conclusion | undefined;

  concluded(conclusion: Conclusion): void {
    this.seen.push('concluded');
    this.conclusion = conclusion;
  }

  goesOn(): void {
    this.seen.push('goes on');
  }

  over(): void {
    this.seen.push('over');
  }
}

describe('the caller of a run in the same process', () => {
  const stores = useTaskStores();

  async function begun(caller: Recorder): Promise<ClaimedRun> {
    const outcome = await stores.now.create({ caller }, { channel: 'worker' });
    if (outcome.kind !== 'created' || outcome.run === undefined) throw new Error('not claimed');
    stores.now.live.listen((_taskId, events) => caller.seen.push(...events().map(({ seq }) => `event ${String(seq)}`)));
    return outcome.run;
  }

  async function usesModel(run: ClaimedRun): Promise<void> {
    const granted = await stores.now.trees.budget.reserve(run, { id: 'one', most: 20, least: 5, micros: 0 });
    if (granted.kind !== 'reserved') throw new Error('not reserved');
    await granted.settle({ input: 10, output: 5, micros: 0 });
  }

  it('gets the task and the events of a run that made one commit, as they are stored (I5)', async () => {
    const caller = new Recorder();
    const run = await begun(caller);

    await stores.now.runs.commit(run, run.seq, [progress, done]);

    expect(caller.seen).toEqual(['concluded', 'event 2', 'event 3']);
    expect(caller.conclusion?.task.value).toEqual(await stores.now.task(run.taskId));
    const logged = await stores.now.log.from(run.taskId, 2, 10);
    expect(caller.conclusion?.events.map(({ seq, nonce, event }) => [seq, nonce, event.value])).toEqual(
      logged.map(({ seq, nonce, event }) => [seq, nonce, event.value]),
    );
  });

  it('is called before a run writes anything else, so that it misses none of it', async () => {
    const caller = new Recorder();
    const run = await begun(caller);

    const outcome = await stores.now.runs.commit(run, run.seq, [progress]);
    expect(outcome).toMatchObject({ kind: 'committed', seq: 2 });
    await stores.now.runs.commit(run, 2, [done]);

    expect(caller.seen.slice(0, 2)).toEqual(['goes on', 'event 2']);
    expect(caller.seen).not.toContain('concluded');
  });

  it('follows a task that got a message meanwhile: the end of the run is not the end of the task', async () => {
    const caller = new Recorder();
    const run = await begun(caller);
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId), 'hash');

    expect(await stores.now.runs.commit(run, run.seq, [progress, done])).toMatchObject({ kind: 'next-turn' });

    expect(caller.seen[0]).toBe('goes on');
    expect(caller.seen).not.toContain('concluded');
  });

  it('hears that a run has used language models before it ends: no event has that', async () => {
    const caller = new Recorder();
    const run = await begun(caller);
    await usesModel(run);

    await stores.now.runs.commit(run, run.seq, [progress, done]);

    expect(caller.seen).toEqual(['goes on', 'event 0', 'event 2', 'event 3']);
  });

  it('hears of it in another process too', async () => {
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

  it('gets nothing of a run that has lost its task (I3)', async () => {
    const caller = new Recorder();
    const run = await begun(caller);
    await stores.now.runs.release(run, 'handed-over');

    expect(await stores.now.runs.commit(run, run.seq, [progress, done])).toEqual({ kind: 'lost' });

    expect(caller.seen).toEqual(['goes on']);
  });
});
