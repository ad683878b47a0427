import { describe, expect, it } from '@jest/globals';
import { artifact, completed, working } from '../../../src/skill/events.js';
import { SkillFailure } from '../../../src/skill/skill.js';
import type { TaskState } from '../../../src/protocol/task-state.js';
import { PARKED, stateWord } from '../../../src/task/state-word.js';
import { TASK_SCRIPTS } from '../../../src/task/task.scripts.js';
import { childIdOf, isTaskId } from '../../../src/task/task.keys.js';
import { allKeys, violations } from '../../kit/invariants.js';
import { type Death, MortalRedis } from '../../kit/mortal-redis.js';
import { useTaskStores } from '../../kit/store-suite.js';
import { OWNER, TaskStores } from '../../kit/task-stores.js';
import { type TreeSkill, TreeBench } from '../../kit/tree-bench.js';

const shaOf = (name: keyof typeof TASK_SCRIPTS): string => String(Reflect.get(TASK_SCRIPTS[name], 'sha'));

describe('a tree whose workers die (§ 2.5)', () => {
  const stores = useTaskStores();

  const tasks = async (): Promise<readonly string[]> => {
    const keys = await allKeys(stores.now);
    return keys.flatMap((key) => /:task:([0-9a-f-]{36})$/.exec(key)?.[1] ?? []);
  };
  const stateOf = async (id: string): Promise<TaskState> => (await stores.now.word(id)).state;

  /** What leases that end do: those of the dead process. */
  const rescue = async (): Promise<void> => {
    for (const id of await tasks()) {
      const { nonce } = await stores.now.word(id);
      if (nonce === '' || nonce === PARKED) continue;
      await stores.now.expireLease(id);
      await stores.now.sweeps.evaluate(id);
    }
  };

  /** Cancels a root by a process that may die of it; then another one does. */
  const cancel = async (bench: TreeBench, mortal: MortalRedis, root: string): Promise<void> => {
    await Promise.race([bench.stores.tasks.cancel(OWNER, root), mortal.died]);
    if (mortal.hasDied) bench.stores = stores.now;
    await stores.now.tasks.cancel(OWNER, root);
  };

  /** Runs a tree to its end with a process that dies once; false when it did not come to that. */
  const live = async (
    skills: Readonly<Record<string, TreeSkill['run']>>,
    death: Death,
    {
      end = 'TASK_STATE_COMPLETED',
      isCanceled = false,
    }: { readonly end?: TaskState; readonly isCanceled?: boolean } = {},
  ): Promise<boolean> => {
    const mortal = new MortalRedis(stores.now.redis, death);
    const healthy = stores.now;
    const bench = new TreeBench(new TaskStores(mortal.redis, stores.now.options), skills);
    const root = await new TreeBench(healthy, skills).root('root');
    let mustCancel = isCanceled;
    while ((await stateOf(root)) !== end) {
      const [head] = await healthy.queue.heads(1, 'all');
      if (head === undefined) {
        if ((await healthy.sweeps.wake(10)).woken > 0) continue;
        await rescue();
        const isIdle = (await healthy.queue.heads(1, 'all')).length === 0;
        if (isIdle && mustCancel) await cancel(bench, mortal, root);
        if (isIdle) mustCancel = false;
        for (const id of await healthy.canceler.due(10)) await healthy.canceler.cancelBelow(id);
        const { woken } = await healthy.sweeps.wake(10);
        expect([woken, ...(await healthy.queue.heads(1, 'all'))]).not.toEqual([0]);
        continue;
      }
      const isHealthy = mortal.hasDied;
      const run = bench.finish(head.taskId).catch((error: unknown) => error);
      await (isHealthy ? run : Promise.race([run, mortal.died]));
      if (mortal.hasDied) bench.stores = healthy;
    }
    const { hasDied } = mortal;
    bench.stores = healthy;
    expect(await bench.settle()).toBe(0);
    return hasDied;
  };

  it('comes to the same end, with every step done once, wherever a worker dies (F2, I14)', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        const steps: string[] = [];
        const skills = {
          leaf: async function* ({ text, step }: Parameters<TreeSkill['run']>[0]) {
            await step('one', () => Promise.resolve(steps.push(text)));
            yield artifact('out', text);
          },
          middle: async function* ({ text, call, all }: Parameters<TreeSkill['run']>[0]) {
            yield working('begun');
            const parts = await all([call('leaf', `${text}a`), call('leaf', `${text}b`)]);
            yield artifact('out', parts.map((part) => part.text).join());
          },
          root: async function* ({ call, map }: Parameters<TreeSkill['run']>[0]) {
            const { done } = await map(['x', 'y'], (item) => call('middle', item), { limit: 1 });
            yield completed(done.map((part) => part.text).join());
          },
        };
        await stores.now.redis.flushall();
        hasDied = await live(skills, { at, when });
        const ids = await tasks();
        expect(ids).toHaveLength(7);
        for (const id of ids) expect(await stateOf(id)).toBe('TASK_STATE_COMPLETED');
        const [root = ''] = (
          await Promise.all(
            ids.map(async (id) => (((await stores.now.field(id, 'i')) ?? '').split(' ').length > 7 ? [] : [id])),
          )
        ).flat();
        expect(await new TreeBench(stores.now, {}).said(root)).toBe('xa,xb,ya,yb');
        // Between a step and its note is the one window in which it is done again.
        expect([...new Set(steps)].sort()).toEqual(['xa', 'xb', 'ya', 'yb']);
        expect(steps.length).toBeLessThanOrEqual(5);
        expect(await violations(stores.now)).toEqual([]);
      }
    }
  }, 120_000);

  it.each([
    ['fails', 'TASK_STATE_FAILED', false],
    ['is canceled', 'TASK_STATE_CANCELED', true],
  ] as const)(
    'that %s undoes each finished step once, newest first, wherever a worker dies (§ 2.5)',
    async (_, end, isCanceled) => {
      for (const when of ['before', 'after'] as const) {
        for (let at = 1, hasDied = true; hasDied; at += 1) {
          const taken: string[] = [];
          const skills = {
            book: async function* ({ text }: Parameters<TreeSkill['run']>[0]) {
              yield artifact('booking', text);
            },
            undo: async function* ({ text, step }: Parameters<TreeSkill['run']>[0]) {
              await step('undo', () => Promise.resolve(taken.push(text)));
              yield completed('done');
            },
            slow: async function* ({ sleep }: Parameters<TreeSkill['run']>[0]) {
              await sleep(3_600_000);
              yield completed('done');
            },
            root: async function* ({ call, step }: Parameters<TreeSkill['run']>[0]) {
              await step('charge', () => Promise.resolve(1), { undo: { skill: 'undo', input: 'charge' } });
              await call('book', 'hotel', { undo: { skill: 'undo' } });
              await step('mail', () => Promise.resolve(1), { undo: { skill: 'undo', input: 'mail' } });
              if (isCanceled) await call('slow', '', { undo: { skill: 'undo', input: 'slow' } });
              yield completed(await Promise.reject(new SkillFailure('No.')));
            },
          };
          await stores.now.redis.flushall();
          hasDied = await live(skills, { at, when }, { end, isCanceled });
          // Between a step and its note is the one window in which it is done again.
          expect([...new Set(taken)]).toEqual(['mail', 'hotel', 'charge']);
          expect(taken.length).toBeLessThanOrEqual(4);
          expect(await violations(stores.now)).toEqual([]);
        }
      }
    },
    120_000,
  );

  it('is woken by a child that ends between the look and the park (pitfall 3)', async () => {
    const skills = {
      leaf: async function* () {
        yield completed('done');
      },
      root: async function* ({ call }: Parameters<TreeSkill['run']>[0]) {
        yield completed((await call('leaf')).text);
      },
    };
    const other = new TreeBench(stores.now, skills);
    const root = await other.root('root');
    let hasRun = false;
    const mortal = new MortalRedis(stores.now.redis, { at: 0, when: 'before' }, async (sha) => {
      if (sha !== shaOf('park') || hasRun) return;
      hasRun = true;
      await other.run(childIdOf(root, 1, 'leaf#1'));
    });
    const bench = new TreeBench(new TaskStores(mortal.redis, stores.now.options), skills);
    expect(await bench.run(root)).toMatchObject({ kind: 'committed' });
    expect(hasRun).toBe(true);
    expect(await bench.said(root)).toBe('done');
  });

  it('is woken by the script that ends its child', async () => {
    const skills = {
      leaf: async function* () {
        yield completed('done');
      },
      root: async function* ({ call }: Parameters<TreeSkill['run']>[0]) {
        yield completed((await call('leaf')).text);
      },
    };
    const bench = new TreeBench(stores.now, skills);
    const root = await bench.root('root');
    await bench.run(root);
    await bench.run(childIdOf(root, 1, 'leaf#1'));
    const word = stateWord((await stores.now.field(root, 's')) ?? '');
    expect(word.nonce).toBe('');
    await bench.settle();
    expect(await bench.said(root)).toBe('done');
    expect((await tasks()).every(isTaskId)).toBe(true);
  });

  it('fails a changed call with its name and both digests, and never tries again (pitfall 10)', async () => {
    let input = 'one';
    const bench = new TreeBench(stores.now, {
      leaf: async function* () {
        yield completed('done');
      },
      root: async function* ({ call }) {
        yield completed((await call('leaf', input)).text);
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    await bench.run(childIdOf(root, 1, 'leaf#1'));
    input = 'two';
    const result = await bench.run(root);
    expect(result).toMatchObject({ kind: 'threw', error: { name: 'JournalMismatch' } });
    expect(result.kind === 'threw' && String(result.error)).toMatch(
      /"call leaf#1 of leaf with [\w-]{16}", and is "call leaf#1 of leaf with [\w-]{16}" now/,
    );
  });

  it('reads a large result again where it lies, in its order (pitfall 11)', async () => {
    const big = 'x'.repeat(100_000);
    const bench = new TreeBench(stores.now, {
      leaf: async function* ({ text }) {
        yield artifact('out', text + big);
      },
      root: async function* ({ call }) {
        const one = await call('leaf', '1');
        const two = await call('leaf', '2');
        yield completed(`${one.text.slice(0, 1)}${two.text.slice(0, 1)} ${String(one.text.length + two.text.length)}`);
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    expect(await bench.said(root)).toBe('12 200002');
    const journal = await stores.now.redis.hvals(stores.now.keys.journal(root));
    expect(journal.join('').length).toBeLessThan(2_000);
  });

  it('goes with its root when that is purged, and not before (pitfall 26)', async () => {
    const bench = new TreeBench(stores.now, {
      leaf: async function* () {
        yield completed('done');
      },
      root: async function* ({ call, map }) {
        await map(Array.from({ length: 70 }), () => call('leaf'), { limit: 100 });
        yield completed('all');
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    const [child = ''] = (await tasks()).filter((id) => id !== root);
    expect(
      Number(await stores.now.redis.zscore(stores.now.keys.over(Number.parseInt(child.slice(0, 2), 16)), child)),
    ).toBeGreaterThan(Date.now() + 30 * 86_400_000);
    expect(await stores.now.sweeps.purge(root, 'finished')).toBe(true);
    expect(await allKeys(stores.now)).toEqual([]);
  });
});
