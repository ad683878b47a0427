import { describe, expect, it } from '@jest/globals';
import { RunStore, type TaskWrite } from '../../../src/tasks/commit/run.store.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER, piece, progress, type TaskStores } from '../../kit/tasks/task-stores.js';

const CHUNKS = 10_000;
const BATCH = 64;

describe(`${RunStore.name}: the cost of an event (I7)`, () => {
  const stores = useTaskStores();

  it('is the same for the 10,000th chunk of an artifact as for the second, and one call reads them all', async () => {
    const run = await stores.now.running();
    let seq = run.seq;
    const commit = async (writes: readonly TaskWrite[]): Promise<void> => {
      const outcome = await stores.now.runs.commit(run, seq, writes);
      seq = outcome.kind === 'committed' ? outcome.seq : 0;
    };
    await commit([piece('a', 'x')]);

    const early = await commandsOf(stores.now, () => commit([piece('a', 'x', true)]));
    for (let written = 2; written < CHUNKS - 1; written += BATCH) {
      const size = Math.min(BATCH, CHUNKS - 1 - written);
      await commit(Array.from({ length: size }, () => piece('a', 'x', true)));
    }
    const late = await commandsOf(stores.now, () => commit([piece('a', 'x', true)]));

    expect(late).toEqual(early);
    expect(Object.values(late).reduce((sum, calls) => sum + calls)).toBeLessThan(30);
    const reading = await commandsOf(stores.now, () => stores.now.tasks.read(OWNER, run.taskId));
    // The first says which keys the second needs.
    expect(reading.evalsha).toBe(2);
    expect((await stores.now.task(run.taskId)).artifacts?.[0]?.parts).toHaveLength(CHUNKS);
  }, 60_000);

  it('is the same for the 500th status as for the second', async () => {
    const run = await stores.now.running();
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'on' }] };
    const commit = (seq: number) => stores.now.runs.commit(run, seq, [{ ...progress, message }]);
    // The first message that becomes history makes the list.
    for (const seq of [2, 3]) await commit(seq);

    await aNewMoment();
    const early = await commandsOf(stores.now, () => commit(4));
    for (let seq = 5; seq < 500; seq += 1) await commit(seq);
    await aNewMoment();
    const late = await commandsOf(stores.now, () => commit(500));

    expect(late).toEqual(early);
  });
});

describe(`${TaskStore.name}: the cost of a foreign task`, () => {
  const stores = useTaskStores();

  it('is that of its owner, since the time of an answer would tell of its size (A2A-ERR-04)', async () => {
    const { taskId } = await stores.now.running();
    const message = { messageId: 'm', taskId, role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    const attempts = [
      () => stores.now.tasks.read('foreign', taskId),
      () => stores.now.tasks.cancel('foreign', taskId),
      () => stores.now.tasks.begun('foreign', taskId),
      () => stores.now.tasks.resume('foreign', message, 'hash'),
    ];
    for (const attempt of attempts) {
      const { evalsha: _run, eval: _sent, time: _clock, ...commands } = await commandsOf(stores.now, attempt);
      // Its owner, and with it at most what is small for every task.
      expect(Object.values(commands)).toEqual([1]);
      expect(['hget', 'hmget']).toContain(Object.keys(commands)[0]);
    }
  });
});

/** Two statuses of one millisecond share their place in the lists of ListTasks. */
async function aNewMoment(): Promise<void> {
  for (const now = Date.now(); Date.now() === now;) await new Promise(setImmediate);
}

/** How often the server ran each command meanwhile, those inside of scripts included. */
async function commandsOf(stores: TaskStores, work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  // The first run of a script sends its text as well.
  await stores.redis.config('RESETSTAT');
  await work();
  const stats = await stores.redis.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([a-z|]+):calls=(\d+)/gm)].map(([, name = '', count]) => [
    name,
    Number(count),
  ]);
  return Object.fromEntries(calls.filter(([name]) => name !== 'config|resetstat')) as Record<string, number>;
}
