import { describe, expect, it } from '@jest/globals';
import { COMPENSATION } from '../../../src/undo/compensation.js';
import { artifact, completed } from '@parley/sdk/skill/events.js';
import { SkillFailure } from '@parley/sdk/skill/skill.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { violations } from '../../kit/checks/invariants.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

type Context = Parameters<TreeSkill['run']>[0];

const fails = (why: string): Promise<string> => Promise.reject(new SkillFailure(why));

describe('finished work of a task that fails or is canceled (§ 2.10)', () => {
  const stores = useTaskStores();

  /** A bench whose skill `take_back` writes down what it is given. */
  const bench = (root: TreeSkill['run'], others: Readonly<Record<string, TreeSkill['run']>> = {}) => {
    const taken: string[] = [];
    const skills = {
      async *book({ text }: Context) {
        yield artifact('booking', [{ data: { booking: text } }]);
      },
      async *take_back({ text, data }: Context) {
        taken.push(data.length === 0 ? text : JSON.stringify(data[0]));
        yield completed('taken back');
      },
      root,
      ...others,
    };
    return { tree: new TreeBench(stores.now, skills), taken };
  };

  /** Runs all there is, and what the sweep wakes. */
  const settle = async (tree: TreeBench): Promise<void> => {
    for (let idle = 0; idle < 2;) {
      await stores.now.sweeps.wake(10);
      const heads = await stores.now.queue.heads(10, 'all');
      idle = heads.length === 0 ? idle + 1 : 0;
      for (const { taskId } of heads) await tree.finish(taskId);
    }
  };
  const stateOf = async (id: string) => (await stores.now.word(id)).state;
  const work = async (id: string): Promise<unknown> =>
    (await stores.now.task(id)).status.message?.metadata?.[COMPENSATION];

  it('is undone newest first, steps and calls alike, and then the task fails with its own reason (O-31)', async () => {
    const { tree, taken } = bench(async function* ({ step, call }) {
      await step('charge', () => Promise.resolve(7), {
        undo: (id) => ({ skill: 'take_back', input: `charge ${String(id)}` }),
      });
      await call('book', 'hotel', { key: 'hotel', undo: { skill: 'take_back' } });
      await step('mail', () => Promise.resolve('sent'), { undo: { skill: 'take_back', input: 'mail' } });
      await call('book', 'flight', { undo: { skill: 'take_back', input: 'flight' } });
      yield completed(await step('nothing', () => fails('No seats are left.')));
    });
    const root = await tree.root('root');
    await settle(tree);
    expect(taken).toEqual(['flight', 'mail', '{"booking":"hotel"}', 'charge 7']);
    const { state, message } = (await stores.now.task(root)).status;
    expect(state).toBe('TASK_STATE_FAILED');
    expect(message?.parts).toEqual([{ text: 'No seats are left. Undone: book#1, mail, hotel, charge.' }]);
    expect(await work(root)).toEqual({ undone: ['book#1', 'mail', 'hotel', 'charge'], failed: [] });
    expect(await violations(stores.now)).toEqual([]);
  });

  it('is undone when a parked task is canceled: open children stop first, and no cancel reaches what undoes', async () => {
    const { tree, taken } = bench(
      async function* ({ step, call }) {
        await step('charge', () => Promise.resolve(7), { undo: { skill: 'take_back', input: 'charge' } });
        yield completed((await call('slow', '', { undo: { skill: 'take_back', input: 'slow' } })).text);
      },
      {
        async *slow({ sleep }) {
          await sleep(3_600_000);
          yield completed('late');
        },
      },
    );
    const root = await tree.root('root');
    await tree.finish(root);
    await tree.finish(childIdOf(root, 1, 'slow#1'));
    expect(await stores.now.tasks.cancel(OWNER, root)).toMatchObject({ kind: 'requested' });
    expect(await stateOf(root)).toBe('TASK_STATE_WORKING');
    await stores.now.canceler.cancelBelow(root);
    await stores.now.sweeps.wake(10);
    await tree.finish(root);
    // Another cancel changes nothing of it.
    expect(await stores.now.tasks.cancel(OWNER, root)).toMatchObject({ kind: 'requested' });
    await stores.now.canceler.cancelBelow(root);
    await settle(tree);
    expect(taken).toEqual(['charge']);
    expect(await stateOf(root)).toBe('TASK_STATE_CANCELED');
    expect((await stores.now.task(root)).status.message?.parts).toEqual([
      { text: 'The task was canceled. Undone: charge.' },
    ]);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('is undone when the sweep ends a task, and an answer that never came ends the wait', async () => {
    const { tree, taken } = bench(async function* ({ step, ask }) {
      await step('charge', () => Promise.resolve(7), { undo: { skill: 'take_back', input: 'charge' } });
      yield completed(String((await ask({ question: 'On?' })).value));
    });
    const root = await tree.root('root');
    await tree.finish(root);
    await stores.now.board.refresh(root);
    expect(await stateOf(root)).toBe('TASK_STATE_INPUT_REQUIRED');
    const { fence } = await stores.now.word(root);
    expect(await stores.now.sweeps.settle(root, fence, 'TASK_STATE_FAILED', { text: 'No answer came.' })).toBe(
      'undoing',
    );
    await settle(tree);
    expect(taken).toEqual(['charge']);
    expect((await stores.now.task(root)).status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'No answer came. Undone: charge.' }] },
    });
    expect(await stores.now.questions.of(root, true)).toEqual([]);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('is tried again with pauses, and what cannot be undone is named at the end, without keeping the rest', async () => {
    let tries = 0;
    const { tree, taken } = bench(
      async function* ({ step }) {
        await step('charge', () => Promise.resolve(7), { undo: { skill: 'take_back', input: 'charge' } });
        const retry = { times: 2, backoffMs: 1 };
        await step('mail', () => Promise.resolve(7), { undo: { skill: 'broken', retry } });
        await step('fax', () => Promise.resolve(7), { undo: { skill: 'nobody' } });
        yield completed(await fails('It went wrong.'));
      },
      {
        async *broken() {
          tries += 1;
          yield completed(await fails(`Try ${String(tries)} failed.`));
        },
      },
    );
    const root = await tree.root('root');
    await settle(tree);
    expect(tries).toBe(3);
    expect(taken).toEqual(['charge']);
    expect(await work(root)).toMatchObject({
      undone: ['charge'],
      failed: [
        { of: 'fax', skill: 'nobody', why: 'unknown-skill' },
        { of: 'mail', skill: 'broken', why: 'failed', reason: expect.stringContaining('Try 3 failed.') },
      ],
    });
  });

  it('has room in a tree that is full, and in a journal that is full', async () => {
    const { tree, taken } = bench(async function* ({ step, call }) {
      await step('charge', () => Promise.resolve(7), { undo: { skill: 'take_back', input: 'charge' } });
      yield completed((await call('book', 'more')).text);
    });
    const full = stores.now.with({ mostTreeTasks: 0, mostJournalEntries: 3 });
    tree.stores = full;
    const root = await tree.root('root');
    await settle(tree);
    expect(taken).toEqual(['charge']);
    expect(await stateOf(root)).toBe('TASK_STATE_FAILED');
  });

  it('stays as it is when the task completes or rejects, and a child that failed has none', async () => {
    const { tree, taken } = bench(
      async function* ({ step, all, call }) {
        await step('charge', () => Promise.resolve(7), { undo: { skill: 'take_back', input: 'charge' } });
        await all([call('failing', '', { undo: { skill: 'take_back', input: 'failing' } })]).catch(() => undefined);
        yield completed('done');
      },
      {
        async *failing() {
          yield completed(await fails('no'));
        },
      },
    );
    const root = await tree.root('root');
    await settle(tree);
    expect(await stateOf(root)).toBe('TASK_STATE_COMPLETED');
    expect(taken).toEqual([]);
  });
});
