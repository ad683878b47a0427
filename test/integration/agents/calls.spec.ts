import { describe, expect, it } from '@jest/globals';
import { IsNumber } from 'class-validator';
import { CallFailed, type CallOptions } from '@parley/sdk/skill/calls/call.js';
import { artifact, completed, rejected, working } from '@parley/sdk/skill/events.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { PARKED } from '../../../src/tasks/record/state-word.js';
import { childIdOf, shardOf } from '../../../src/tasks/task.keys.js';
import { TreeInspector } from '../../../src/tasks/lists/tree-inspector.js';
import { allKeys, violations } from '../../kit/checks/invariants.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

class Numbered {
  @IsNumber()
  n = Number.NaN;
}

async function* echo({ text }: { text: string }) {
  yield artifact('out', `${text}!`);
}

describe('a skill that runs skills', () => {
  const stores = useTaskStores();

  it('is parked while its child runs, in the same context, and goes on with what the child has come to (O-55)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      root: async function* ({ call }) {
        yield working('calling');
        const { text, taskId, skillId } = await call('echo', 'hello');
        yield completed(`${skillId} ${taskId} said ${text}`);
      },
    });
    const root = await bench.root('root');
    expect(await bench.run(root)).toEqual({ kind: 'parked' });
    const child = childIdOf(root, 1, 'echo#1');
    expect(shardOf(child)).toBe(shardOf(root));
    expect((await stores.now.word(root)).nonce).toBe(PARKED);
    expect((await stores.now.task(child)).contextId).toBe((await stores.now.task(root)).contextId);
    expect(await violations(stores.now)).toEqual([]);

    expect(await bench.run(child)).toMatchObject({ kind: 'committed', runs: 1 });
    expect(await bench.run(root)).toMatchObject({ kind: 'committed' });
    expect(await bench.said(root)).toBe(`echo ${child} said hello!`);
    expect(await bench.settle()).toBe(0);
  });

  it('leaves no code that shares its process while it is parked (I17)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      root: async function* ({ call }) {
        yield completed((await call('echo', 'hello')).text);
      },
    });
    const { turn, result } = bench.begin(await bench.claim(await bench.root('root')));
    expect(await result).toEqual({ kind: 'parked' });
    expect(turn.codeEnds).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, TreeSkill>>]>([
    ['takes another input', { echo: { run: echo, options: { input: Numbered } } }],
    ['has another version', { echo: { run: echo, options: { version: 2 } } }],
    ['is gone', {}],
  ])('gets the result of a child that it has begun, also where the skill %s since (O-05, I14)', async (_how, later) => {
    const root = {
      run: async function* ({ call }: SkillContext) {
        yield completed((await call('echo', 'hello', { version: 1 })).text);
      },
    };
    const before = new TreeBench(stores.now, { echo: { run: echo, options: { version: 1 } }, root });
    const id = await before.root('root');
    await before.run(id);
    await before.run(childIdOf(id, 1, 'echo#1'));
    const after = new TreeBench(stores.now, { ...later, root });
    expect(await after.run(id)).toMatchObject({ kind: 'committed' });
    expect(await after.said(id)).toBe('hello!');
  });

  it('is asked for its result in the media types that its call names, and else in any (O-69)', async () => {
    const seen: unknown[] = [];
    const bench = new TreeBench(stores.now, {
      child: async function* ({ acceptedOutputModes }) {
        seen.push(acceptedOutputModes);
        yield completed('said');
      },
      root: async function* ({ call, acceptedOutputModes: accepts }) {
        await call('child');
        await call('child', '', { accepts });
        yield completed('done');
      },
    });
    await bench.root('root', { acceptedOutputModes: ['text/plain'] });
    await bench.settle();
    expect(seen).toEqual([[], ['text/plain']]);
  });

  it('reads and lists: the owner gets a child by its id, lists have roots only (O-15, O-67)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      root: async function* ({ call }) {
        yield completed((await call('echo', 'a')).text);
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    const child = childIdOf(root, 1, 'echo#1');
    expect(await stores.now.tasks.read(OWNER, child)).toBeDefined();
    expect(await stores.now.tasks.read('default/client:other', child)).toBeUndefined();
    for (const filter of [{}, { contextId: (await stores.now.task(root)).contextId }]) {
      const { tasks, total } = await stores.now.index.list(OWNER, filter, { limit: 10, shown: {} });
      expect(tasks.map(({ entry }) => entry.split(':')[1])).toEqual([root]);
      expect(total).toBe(1);
    }
  });

  it('runs at most as many of a map as its limit says, and is woken once (O-27, F6)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      root: async function* ({ call, map }) {
        const items = Array.from({ length: 100 }, (_unused, at) => `n${String(at)}`);
        const { done } = await map(items, (item) => call('echo', item), { limit: 10 });
        yield completed(done.map(({ text }) => text).join(' '));
      },
    });
    const root = await bench.root('root');
    expect(await bench.run(root)).toEqual({ kind: 'parked' });
    expect(await stores.now.queue.waiting()).toBe(10);
    let rounds = 0;
    for (let runs = 0; runs < 100; rounds += 1) {
      const heads = await stores.now.queue.heads(100, 'all');
      expect(heads.length).toBeLessThanOrEqual(10);
      for (const { taskId } of heads) await bench.run(taskId);
      runs += heads.length;
    }
    expect(bench.began.filter((skill) => skill === 'root')).toHaveLength(1);
    expect(await bench.settle()).toBe(1);
    expect((await bench.said(root)).split(' ')).toEqual(
      Array.from({ length: 100 }, (_unused, at) => `n${String(at)}!`),
    );
    expect(rounds).toBeGreaterThanOrEqual(10);
  });

  it.each([0, 1, 1_001])('takes a map of %d items (pitfall 24)', async (count) => {
    const bench = new TreeBench(stores.now, {
      echo,
      root: async function* ({ call, map }) {
        const { all } = await map(Array.from({ length: count }), (_item, at) => call('echo', String(at)), {
          limit: 1,
          onFailure: 'collect',
        });
        const [first] = all;
        yield completed(first instanceof CallFailed ? `${first.why} ${String(all.length)}` : String(all.length));
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    expect(await bench.said(root)).toBe(count === 1_001 ? 'budget 1001' : String(count));
    expect((await allKeys(stores.now)).filter((key) => /:task:[^:]+$/.test(key))).toHaveLength(count === 1 ? 2 : 1);
  });

  it.each([
    ['in a step', async ({ step }: SkillContext) => step('large', () => Promise.resolve('x'.repeat(2_000)))],
    ['in a commit', async ({ sleep }: SkillContext) => sleep(60_000)],
  ])('ends a child whose journal is full %s, once', async (_where, goOn) => {
    const bench = new TreeBench(stores.now.with({ mostJournalBytes: 2_000 }), {
      greedy: async function* (context) {
        await context.call('echo', 'first');
        // What the journal has no room for is known to the run, and comes with each of its commits.
        for (let calls = 0; calls < 100; calls += 1) await context.now();
        yield working('much');
        await goOn(context);
        yield completed('never');
      },
      echo,
      root: async function* ({ call }) {
        yield completed(
          await call('greedy')
            .catch((error: unknown) => String(error))
            .then(String),
        );
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    const child = childIdOf(root, 1, 'greedy#1');
    expect(await bench.run(child)).toEqual({ kind: 'parked' });
    await bench.run(childIdOf(child, 1, 'echo#1'));
    const { turn, result } = bench.begin(await bench.claim(child));
    expect(await result).toMatchObject({ kind: 'threw', error: { name: 'JournalFull' } });
    expect(await turn.fail('It cannot go on.')).toMatchObject({ kind: 'committed' });
    await bench.settle();
    expect(await bench.said(root)).toContain('It cannot go on.');
  });

  it('keeps the results of the siblings of a failed child (O-33)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      no: async function* () {
        yield rejected('not today');
      },
      root: async function* ({ call, map }) {
        const { done, failed } = await map([1, 2, 3, 4, 5], (n) => call(n === 3 ? 'no' : 'echo', String(n)), {
          onFailure: 'collect',
        });
        yield completed(
          `${done.map(({ text }) => text).join('')} ${failed.map(({ why, message }) => `${why}: ${message}`).join('')}`,
        );
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    expect(await bench.said(root)).toBe('1!2!4!5! rejected: The call of "no" has no result: not today');
  });

  it('fails with the text of the child whose failure it does not catch', async () => {
    const bench = new TreeBench(stores.now, {
      no: async function* () {
        yield rejected('not today');
      },
      root: async function* ({ call }) {
        yield working('…');
        await call('no');
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    await bench.run(childIdOf(root, 1, 'no#1'));
    expect(await bench.run(root)).toMatchObject({
      kind: 'threw',
      error: { name: 'CallFailed', why: 'rejected', message: 'The call of "no" has no result: not today' },
    });
  });

  it('takes the first that completes', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      no: async function* () {
        yield rejected('no');
      },
      root: async function* ({ call, first }) {
        yield completed((await first([call('no'), call('echo', 'b'), call('echo', 'c')])).text);
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    await bench.run(childIdOf(root, 1, 'no#1'));
    expect((await stores.now.word(root)).nonce).toBe(PARKED);
    await bench.run(childIdOf(root, 1, 'echo#2'));
    await bench.run(root);
    expect(await bench.said(root)).toBe('c!');
  });

  describe('refuses a call before anything is stored, and says why (O-05, O-87)', () => {
    const refusal = async (
      skills: ConstructorParameters<typeof TreeBench>[1],
      input: string | { n: unknown },
      options: CallOptions = {},
    ) => {
      const bench = new TreeBench(stores.now, {
        ...skills,
        root: async function* ({ call }) {
          const failure = await call('child', input, options).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (!(failure instanceof CallFailed)) throw new Error('it was not refused');
          yield completed(`${failure.why}: ${failure.message}`);
        },
      });
      const root = await bench.root('root');
      await bench.run(root);
      const tasks = (await allKeys(stores.now)).filter((key) => /:task:[^:]+$/.test(key));
      expect(tasks).toHaveLength(1);
      expect(await stores.now.redis.exists(stores.now.keys.children(root))).toBe(0);
      return bench.said(root);
    };

    it('with an input that does not fit, and says where', async () => {
      const child = { run: echo, options: { input: Numbered } };
      expect(await refusal({ child }, { n: 'two' })).toMatch(/^schema: .*message\.parts\[0\]\.data\.n/);
    });

    it('that is written for another version (SEED-36)', async () => {
      const child = { run: echo, options: { version: 2 } };
      expect(await refusal({ child }, 'x', { version: 1 })).toMatch(/^schema: .*"child" has version 2/);
    });

    it('of a skill that is not there', async () => {
      expect(await refusal({}, 'x')).toMatch(/^unknown-skill: /);
    });

    it('of a skill that its own caller may not call (I13)', async () => {
      const child = { run: echo, options: { scopes: ['pay'] } };
      expect(await refusal({ child }, 'x')).toMatch(/^scope: .*"pay"/);
    });
  });

  it('may call what its own caller may, at any depth (I13)', async () => {
    const bench = new TreeBench(stores.now, {
      pay: { run: echo, options: { scopes: ['pay'] } },
      middle: async function* ({ call }) {
        yield completed((await call('pay', 'paid')).text);
      },
      root: async function* ({ call }) {
        yield completed((await call('middle')).text);
      },
    });
    const root = await bench.root('root', { scopes: ['pay'] });
    await bench.settle();
    expect(await bench.said(root)).toBe('paid!');
  });

  it('has as many levels as a tree may have (O-20, O-23)', async () => {
    const bench = new TreeBench(stores.now.with({ mostDepth: 2 }), {
      root: async function* ({ call, text }) {
        const below = await call('root', `${text}.`).then(
          (result) => result.text,
          (error: unknown) => (error instanceof CallFailed ? error.why : 'broke'),
        );
        yield completed(`${text} ${below}`);
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    expect(await bench.said(root)).toBe('hello hello. hello.. budget');
  });

  it('has as many tasks as a tree may have (O-87)', async () => {
    const bench = new TreeBench(stores.now.with({ mostTreeTasks: 3 }), {
      echo,
      root: async function* ({ call, map }) {
        await call('echo', 'a');
        const { failed } = await map(['b', 'c', 'd'], (item) => call('echo', item), { onFailure: 'collect' });
        await Promise.all([call('echo', 'e'), call('echo', 'f')]);
        yield completed(failed.map(({ why }) => why).join(' '));
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    expect(await bench.said(root)).toBe('budget budget budget');
    expect(await stores.now.redis.hget(stores.now.keys.tree(root), 'tasks')).toBe('3');
  });

  it('keeps the limits that it has begun with', async () => {
    const root = async function* ({ call, text }: SkillContext) {
      const below = await call('root', `${text}.`).then(
        (result) => result.text,
        (error: unknown) => (error instanceof CallFailed ? error.message : 'broke'),
      );
      yield completed(`${text} ${below}`);
    };
    const bench = new TreeBench(stores.now.with({ mostDepth: 2 }), { root });
    const id = await bench.root('root');
    await bench.run(id);
    bench.stores = stores.now.with({ mostDepth: 7 });
    await bench.settle();
    expect(await bench.said(id)).toMatch(/a tree has levels, at most 2: it was not made$/);
  });

  it('cancels a child whose time is over, and says so (O-87)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      sleeps: async function* ({ sleep }) {
        await sleep(3_600_000);
        yield completed('late');
      },
      root: async function* ({ call, map }) {
        const { done, failed } = await map(['sleeps', 'echo'], (id) => call(id, 'a', { timeoutMs: 100 }), {
          onFailure: 'collect',
        });
        yield completed(`${done.map(({ text }) => text).join('')} ${failed.map(({ why }) => why).join('')}`);
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    await eventually(async () => {
      expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 });
    });
    await bench.settle();
    expect(await bench.said(root)).toBe('a! deadline');
    expect((await stores.now.word(childIdOf(root, 1, 'sleeps#1'))).state).toBe('TASK_STATE_CANCELED');
  });

  it.each(['call', 'ask', 'sleep', 'waitFor'] as const)('refuses %s within a step', async (what) => {
    const bench = new TreeBench(stores.now, {
      echo,
      root: async function* (context) {
        const inside = { call: ['echo'], ask: ['Who?'], sleep: [1], waitFor: [] }[what];
        await context.step('inside', async () => {
          await Reflect.apply(context[what], context, inside);
        });
        yield completed('never');
      },
    });
    const root = await bench.root('root');
    expect(await bench.run(root)).toMatchObject({
      kind: 'threw',
      error: { name: 'CallInStep', message: expect.stringContaining(`${what}() within the step "inside"`) },
    });
  });

  it.each<[string, (context: SkillContext) => Promise<unknown>]>([
    ['state.get()', ({ state }) => state.get('a')],
    ['state.set()', ({ state }) => state.set('a', 1)],
    ["shared('context').get()", ({ shared }) => shared('context').get('a')],
    ["shared('context').set()", ({ shared }) => shared('context').set('a', 1)],
    ["shared('context').setIfAbsent()", ({ shared }) => shared('context').setIfAbsent('a', 1)],
  ])('refuses %s within a step, names it and the step, and stores nothing', async (what, use) => {
    const bench = new TreeBench(stores.now, {
      root: async function* (context) {
        await context.step('inside', () => use(context));
        yield completed('never');
      },
    });
    const root = await bench.root('root');
    await bench.finish(root);
    expect((await stores.now.word(root)).state).toBe('TASK_STATE_FAILED');
    expect(await bench.said(root)).toBe(
      `${what} within the step "inside": a step does its own work only, so move it out of the step`,
    );
    expect(await stores.now.redis.hlen(stores.now.keys.state(root))).toBe(0);
  });

  it('is shown to operators as a tree, whichever of its tasks they name (O-20)', async () => {
    const bench = new TreeBench(stores.now, {
      echo,
      asks: async function* ({ ask }) {
        yield completed((await ask('Who?')).text);
      },
      middle: async function* ({ call }) {
        yield completed((await call('asks')).text);
      },
      root: async function* ({ call, all }) {
        await all([call('middle'), call('echo', 'a')]);
        yield completed('done');
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    const middle = childIdOf(root, 1, 'middle#1');
    const inspector = new TreeInspector(stores.now.redis, stores.now.options);
    const tree = await inspector.of(middle);
    expect(tree).toMatchObject({ root, isCut: false, allowed: { levels: 8, children: 1_000, tasks: 10_000 } });
    const shown = (tree?.nodes ?? []).map(({ depth, key, skill, state, isParked, questions }) => [
      ...[depth, key, skill, state.slice('TASK_STATE_'.length), isParked, questions],
    ]);
    expect(shown).toContainEqual([0, '', 'root', 'WORKING', true, 0]);
    expect(shown).toContainEqual([1, 'middle#1', 'middle', 'WORKING', true, 0]);
    expect(shown).toContainEqual([1, 'echo#1', 'echo', 'COMPLETED', false, 0]);
    expect(shown).toContainEqual([2, 'asks#1', 'asks', 'INPUT_REQUIRED', true, 1]);
    expect(await inspector.open()).toBe(1);
    await stores.now.canceler.cancelTree(OWNER, root);
    expect(await inspector.open()).toBe(0);
    expect(await inspector.of(root.replace(/.$/, 'x'))).toBeUndefined();
  });
});
