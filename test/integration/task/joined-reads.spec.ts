import { describe, expect, it } from '@jest/globals';
import { JoinedReads } from '../../../src/task/joined-reads.js';
import { useTaskStores } from '../../kit/store-suite.js';
import { anAnswer, done, OWNER, piece } from '../../kit/task-stores.js';

const STRANGER = 'default/client:stranger';

describe(JoinedReads.name, () => {
  const stores = useTaskStores();

  const read = (owner: string, id: string): Promise<string | undefined> =>
    stores.now.tasks.read(owner, id).then((snapshot) => snapshot?.task.text);

  /** In parts: another script, by which each is read alone. */
  const readAlone = async (id: string): Promise<string | undefined> =>
    (await stores.now.tasks.read(OWNER, id, { historyLength: 99 }))?.task.text;

  it('reads the tasks of one turn by one call, each for its own reader', async () => {
    const small = await stores.now.completed();
    const foreign = await stores.now.completed({ owner: STRANGER });
    const talking = await stores.now.running();
    const answer = anAnswer(talking.taskId);
    await stores.now.tasks.resume(OWNER, answer, answer.messageId);
    const ids = [small.taskId, foreign.taskId, talking.taskId, small.taskId];
    const alone = await Promise.all(ids.map(readAlone));

    await stores.now.redis.config('RESETSTAT');
    const together = await Promise.all(ids.map((id) => read(OWNER, id)));

    expect(await callsOf('evalsha')).toBe(1);
    expect(together).toEqual(alone);
    expect(together[1]).toBeUndefined();
    expect(together[2]).toContain(answer.messageId);
    expect(await read(STRANGER, foreign.taskId)).toContain(foreign.taskId);
  });

  it('reads large tasks and those with chunks apart from the others', async () => {
    const small = await stores.now.completed();
    const large = await stores.now.running();
    await stores.now.runs.commit(large, large.seq, [piece('a', 'x'.repeat(100_000)), done]);
    const chunked = await stores.now.running();
    const begun = await stores.now.runs.commit(chunked, chunked.seq, [piece('a', 'x')]);
    await stores.now.runs.commit(chunked, 'seq' in begun ? begun.seq : 0, [piece('a', 'y', true)]);
    const ids = [large.taskId, chunked.taskId, small.taskId];

    const together = await Promise.all(ids.map((id) => read(OWNER, id)));

    expect(together).toEqual(await Promise.all(ids.map(readAlone)));
    expect(together[0]?.length).toBeGreaterThan(100_000);
    expect(together[1]).toContain('"y"');
  });

  it('reads sixteen at a time where many ask, and loses none', async () => {
    const { taskId } = await stores.now.completed();
    await stores.now.redis.config('RESETSTAT');

    const texts = await Promise.all(Array.from({ length: 40 }, () => read(OWNER, taskId)));

    expect(new Set(texts).size).toBe(1);
    expect(await callsOf('evalsha')).toBe(3);
  });

  it('tells every reader where Redis cannot be asked', async () => {
    const { id } = await stores.now.submitted();
    const gone = id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const key = stores.now.keys.task(gone);
    await stores.now.redis.set(key, 'no hash');

    const outcomes = await Promise.allSettled([read(OWNER, gone), read(OWNER, gone)]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await stores.now.redis.del(key);
    expect(await read(OWNER, gone)).toBeUndefined();
  });

  async function callsOf(command: string): Promise<number> {
    const stats = await stores.now.redis.info('commandstats');
    return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  }
});
