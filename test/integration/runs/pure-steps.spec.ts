import { describe, expect, it } from '@jest/globals';
import { completed, working } from '@parley/sdk/skill/events.js';
import { eventually } from '../../kit/run/eventually.js';
import { violations } from '../../kit/checks/invariants.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { type TreeSkill, TreeBench } from '../../kit/tasks/tree-bench.js';

type Context = Parameters<TreeSkill['run']>[0];

describe('a step without effects outside', () => {
  const stores = useTaskStores();

  /** The names of the steps in the journal of a task. */
  const stepsOf = async (id: string): Promise<readonly string[]> =>
    (await stores.now.redis.hkeys(stores.now.keys.journal(id))).filter((field) => /^\d+:/.test(field)).sort();

  const lose = async (id: string): Promise<void> => {
    await stores.now.expireLease(id);
    await stores.now.sweeps.evaluate(id);
  };

  it('is stored with the next event, and not done again by the run after a loss', async () => {
    const done: string[] = [];
    let isLost = true;
    const bench = new TreeBench(stores.now, {
      root: async function* ({ step }: Context) {
        for (const name of ['a', 'b']) await step(name, () => Promise.resolve(done.push(name)), { effects: 'none' });
        yield working('half');
        if (isLost) await new Promise(() => undefined);
        yield completed(String(await step('c', () => Promise.resolve(done.push('c')), { effects: 'none' })));
      },
    });
    const id = await bench.root('root');
    void bench.run(id);
    await eventually(async () => expect(await stepsOf(id)).toEqual(['1:a', '1:b']));
    isLost = false;
    await lose(id);
    await bench.run(id);
    expect(await bench.said(id)).toBe('3');
    expect(done).toEqual(['a', 'b', 'c']);
    expect(await stepsOf(id)).toEqual(['1:a', '1:b', '1:c']);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('needs no script of its own, and no read before it', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ step }: Context) {
        for (let at = 0; at < 10; at += 1) await step(String(at), () => Promise.resolve(at), { effects: 'none' });
        yield completed('done');
      },
    });
    const id = await bench.root('root');
    const run = await bench.claim(id);
    const commands = async (): Promise<number> =>
      Number(/total_commands_processed:(\d+)/.exec(await stores.now.redis.info('stats'))?.[1]);
    const before = await commands();
    await bench.turn(run);
    // The commit, and the commands in it: with a script for each step they were more than 100.
    expect((await commands()) - before).toBeLessThan(70);
    expect(await stepsOf(id)).toHaveLength(10);
  });

  it('is stored soon when nothing else is written, and gives one result for one name', async () => {
    let go = (): void => undefined;
    const results: number[] = [];
    const bench = new TreeBench(stores.now, {
      root: async function* ({ step }: Context) {
        const roll = (): Promise<number> => step('same', () => Promise.resolve(results.length), { effects: 'none' });
        results.push(await roll(), await roll());
        await new Promise<void>((resolve) => (go = resolve));
        results.push(await roll());
        yield completed('done');
      },
    });
    const id = await bench.root('root');
    const run = bench.run(id);
    await eventually(async () => expect(await stepsOf(id)).toEqual(['1:same']));
    go();
    await run;
    expect(results).toEqual([0, 0, 0]);
  });

  it('is done again when its run is lost before it was stored, with all that follows from it', async () => {
    const done: string[] = [];
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const bench = new TreeBench(stores.now, {
      root: async function* ({ step }: Context) {
        await gate;
        await step('a', () => Promise.resolve(done.push('a')), { effects: 'none' });
        if (done.length === 1) await new Promise(() => undefined);
        yield completed('done');
      },
    });
    const id = await bench.root('root');
    const { turn, result } = bench.begin(await bench.claim(id));
    await eventually(async () => expect((await stores.now.word(id)).state).toBe('TASK_STATE_WORKING'));
    go();
    await eventually(() => expect(done).toEqual(['a']));
    turn.stop('lost');
    await result;
    await lose(id);
    await bench.run(id);
    expect(done).toEqual(['a', 'a']);
    expect(await stores.now.word(id)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });
});
