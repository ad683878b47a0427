import { describe, expect, it } from '@jest/globals';
import { artifact, completed, rejected } from '@parley/sdk/skill/events.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

type Context = Parameters<TreeSkill['run']>[0];

async function* leaf({ text }: Context) {
  yield artifact('out', text);
}

async function* middle({ call, map }: Context) {
  const { done } = await map(['a', 'b', 'c'], (item) => call('leaf', item), { limit: 1 });
  yield completed(String(done.length));
}

describe('the cancel of a tree', () => {
  const stores = useTaskStores();

  const bench = () =>
    new TreeBench(stores.now, {
      leaf,
      middle,
      no: async function* () {
        yield rejected('no');
      },
      root: async function* ({ call, all }) {
        yield completed(String((await all([call('middle'), call('middle')])).length));
      },
      failing: async function* ({ call, all }) {
        yield completed(String((await all([call('middle'), call('no')])).length));
      },
      racing: async function* ({ call, first }) {
        yield completed((await first([call('middle'), call('leaf', 'quick')])).text);
      },
    });
  const cancelAll = async (): Promise<void> => {
    for (const id of await stores.now.canceler.due(10)) await stores.now.canceler.cancelBelow(id);
  };
  const states = async (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await stores.now.word(id)).state.slice('TASK_STATE_'.length)));
  const leavesOf = (id: string) => [1, 2, 3].map((n) => childIdOf(id, 1, `leaf#${String(n)}`));

  it('reaches every leaf, held ones too, and passes over those that have ended (pitfall 7)', async () => {
    const tree = bench();
    const root = await tree.root('root');
    const middles = [1, 2].map((n) => childIdOf(root, 1, `middle#${String(n)}`));
    const [one = '', two = ''] = middles;
    for (const id of [root, one, two]) await tree.run(id);
    await tree.run(leavesOf(one)[0] ?? '');
    expect(await stores.now.tasks.cancel(OWNER, root)).toMatchObject({ kind: 'canceled' });
    await cancelAll();
    expect(await states([root, ...middles])).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
    expect(await states(leavesOf(one))).toEqual(['COMPLETED', 'CANCELED', 'CANCELED']);
    expect(await states(leavesOf(two))).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
    expect(await stores.now.canceler.due(10)).toEqual([]);
    expect(await tree.settle()).toBe(0);
  });

  it('goes on after a process that died in the middle of it', async () => {
    const tree = bench();
    const root = await tree.root('root');
    const middles = [1, 2].map((n) => childIdOf(root, 1, `middle#${String(n)}`));
    for (const id of [root, ...middles]) await tree.run(id);
    await stores.now.tasks.cancel(OWNER, root);
    // As far as the process came: one child was canceled, and nothing below it.
    await stores.now.tasks.cancel(OWNER, middles[0] ?? '');
    await cancelAll();
    expect(await states(middles.flatMap((id) => [id, ...leavesOf(id)]))).toEqual(
      Array.from({ length: 8 }, () => 'CANCELED'),
    );
  });

  it('asks a running child to stop, which makes no more children from then on', async () => {
    const tree = bench();
    const root = await tree.root('root');
    await tree.run(root);
    const one = childIdOf(root, 1, 'middle#1');
    const run = await tree.claim(one);
    await stores.now.tasks.cancel(OWNER, root);
    await cancelAll();
    expect(await tree.turn(run)).toEqual({ kind: 'stopped', reason: 'canceled' });
    expect(await stores.now.redis.exists(stores.now.keys.children(one))).toBe(0);
    expect(await stores.now.sweeps.settle(one, run.fence, 'TASK_STATE_CANCELED')).toBe('settled');
  });

  it('follows when a parent fails with open children', async () => {
    const tree = bench();
    const root = await tree.root('failing');
    await tree.run(root);
    const one = childIdOf(root, 1, 'middle#1');
    await tree.run(one);
    await tree.run(childIdOf(root, 1, 'no#1'));
    const { turn, result } = tree.begin(await tree.claim(root));
    expect(await result).toMatchObject({ kind: 'threw', error: { name: 'CallFailed', why: 'rejected' } });
    await turn.fail('a child failed');
    await cancelAll();
    expect(await states([root, one, ...leavesOf(one)])).toEqual([
      'FAILED',
      'CANCELED',
      'CANCELED',
      'CANCELED',
      'CANCELED',
    ]);
  });

  it('comes to the losers of first()', async () => {
    const tree = bench();
    const root = await tree.root('racing');
    await tree.run(root);
    const one = childIdOf(root, 1, 'middle#1');
    await tree.run(one);
    await tree.run(childIdOf(root, 1, 'leaf#1'));
    await tree.run(root);
    await cancelAll();
    expect(await tree.said(root)).toBe('quick');
    expect(await states([root, one, ...leavesOf(one)])).toEqual([
      'COMPLETED',
      'CANCELED',
      'CANCELED',
      'CANCELED',
      'CANCELED',
    ]);
  });

  it('is in every leaf before the caller has its answer (F9)', async () => {
    const tree = bench();
    const root = await tree.root('root');
    const middles = [1, 2].map((n) => childIdOf(root, 1, `middle#${String(n)}`));
    for (const id of [root, ...middles]) await tree.run(id);
    expect(await stores.now.canceler.cancelTree(OWNER, root)).toMatchObject({ kind: 'canceled' });
    expect(new Set(await states(middles.flatMap((id) => [id, ...leavesOf(id)])))).toEqual(new Set(['CANCELED']));
    expect(await stores.now.canceler.due(10)).toEqual([]);
  });

  it('leaves detached children alone, and the tree is kept until they have ended', async () => {
    const tree = new TreeBench(stores.now, {
      leaf,
      root: async function* ({ call }) {
        void call('leaf', 'on my own', { detach: true });
        yield completed('gone');
      },
    });
    const root = await tree.root('root');
    await tree.run(root);
    const child = childIdOf(root, 1, 'leaf#1');
    await cancelAll();
    expect(await states([root, child])).toEqual(['COMPLETED', 'SUBMITTED']);
    await stores.now.expireTime(root);
    expect(await stores.now.sweeps.purge(root, 'finished')).toBe(false);
    await tree.run(child);
    expect(await states([child])).toEqual(['COMPLETED']);
    expect(await stores.now.sweeps.purge(root, 'finished')).toBe(true);
  });
});
