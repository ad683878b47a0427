import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { artifactRef } from '@parley/sdk/skill/artifacts/artifact-ref.js';
import { artifact, completed, rejected, working } from '@parley/sdk/skill/events.js';
import { SkillFailure } from '@parley/sdk/skill/skill.js';
import { isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';
import { PARKED, stateWord } from '../../../src/tasks/record/state-word.js';
import { TASK_SCRIPTS } from '../../../src/tasks/task.scripts.js';
import { childIdOf, isTaskId } from '../../../src/tasks/task.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { allKeys, violations } from '../../kit/checks/invariants.js';
import { type Death, MortalRedis } from '../../kit/redis/mortal-redis.js';
import { LOGIN, ScriptedAgent } from '../../kit/skills/scripted-agent.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER, TaskStores } from '../../kit/tasks/task-stores.js';
import { type TreeSkill, TreeBench } from '../../kit/tasks/tree-bench.js';

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
      const found = await stores.now.sweeps.evaluate(id);
      if (found.kind === 'end' && found.why === 'CANCEL_OVERDUE') {
        await stores.now.sweeps.settle(id, found.fence, 'TASK_STATE_CANCELED');
      }
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
      slots = 0,
      isCanceled = false,
      onIdle = () => Promise.resolve(),
    }: {
      readonly end?: TaskState;
      readonly slots?: number;
      readonly isCanceled?: boolean;
      readonly onIdle?: () => Promise<void>;
    } = {},
  ): Promise<boolean> => {
    const mortal = new MortalRedis(stores.now.redis, death);
    const healthy = stores.now;
    const bench = new TreeBench(new TaskStores(mortal.redis, stores.now.options), skills, slots);
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
        if (isIdle) await onIdle();
        for (const id of await healthy.canceler.due(10)) await healthy.canceler.cancelBelow(id);
        // A short wait may not be over yet.
        await eventually(async () => {
          const { woken } = await healthy.sweeps.wake(10);
          expect([woken, ...(await healthy.queue.heads(1, 'all'))]).not.toEqual([0]);
        });
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

  it.each([
    ['one by one', 0],
    ['beside their parents, which stay awake for them', 10],
  ])(
    'comes to the same end, with every step done once, wherever a worker dies that runs children %s (F2, I14)',
    async (_how, slots) => {
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
          hasDied = await live(skills, { at, when }, { slots });
          const ids = await tasks();
          expect(ids).toHaveLength(7);
          for (const id of ids) expect(await stateOf(id)).toBe('TASK_STATE_COMPLETED');
          const [root = ''] = (
            await Promise.all(
              ids.map(async (id) => (((await stores.now.field(id, 'i')) ?? '').split(' ').length > 7 ? [] : [id])),
            )
          ).flat();
          expect(await new TreeBench(stores.now, {}).said(root)).toBe('xa,xb,ya,yb');
          // Between a step and its note is the one window in which it is done again; two leaves may run in one process.
          expect([...new Set(steps)].sort()).toEqual(['xa', 'xb', 'ya', 'yb']);
          expect(steps.length).toBeLessThanOrEqual(slots === 0 ? 5 : 6);
          expect(await violations(stores.now)).toEqual([]);
        }
      }
    },
    240_000,
  );

  it('takes a question back when its login was seen, and goes on once, wherever a worker dies (A2A-TASKAUTH-02)', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        const skills = {
          login: async function* ({ text }: Parameters<TreeSkill['run']>[0]) {
            yield completed(`${text} seen`);
          },
          root: async function* ({ ask, call }: Parameters<TreeSkill['run']>[0]) {
            const until = call('login', 'login').then((result) => result.text);
            const { value } = await ask<string>({ auth: true, question: 'Log in', until });
            yield completed(`${value}, ${(await call('login', 'still')).text}`);
          },
        };
        await stores.now.redis.flushall();
        hasDied = await live(skills, { at, when });
        const ids = await tasks();
        expect(ids).toHaveLength(3);
        const said = await Promise.all(ids.map((id) => new TreeBench(stores.now, {}).said(id)));
        expect(said.sort()).toEqual(['login seen', 'login seen, still seen', 'still seen']);
        for (const id of ids) expect(await stores.now.field(id, 'qs')).toBeNull();
        expect(await violations(stores.now)).toEqual([]);
      }
    }
  }, 120_000);

  it('goes on with an agent that waits for logins, and sends it nothing twice, wherever a worker dies (A2A-TASKAUTH-02)', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        await stores.now.redis.flushall();
        const agent = new ScriptedAgent();
        const states = [LOGIN, { kind: 'open', text: 'thanks' }, LOGIN, { kind: 'ended' }] as const;
        agent.onPoll = async (poll) => {
          agent.state = states[Math.min(poll, states.length - 1)] ?? LOGIN;
        };
        const onIdle = async (): Promise<void> => {
          const [id = ''] = await tasks();
          await stores.now.mirrors.hint(id, `callback ${String(Date.now())}`);
        };
        hasDied = await live({ root: agent.skill(stores.now.mirrors) }, { at, when }, { onIdle });
        const [root = ''] = await tasks();
        expect(await new TreeBench(stores.now, {}).said(root)).toBe('done');
        // What is sent again has the id of what was sent.
        expect(new Set(agent.sent.map(({ messageId }) => messageId))).toEqual(new Set([`${root}:1`]));
        expect(await stores.now.field(root, 'qs')).toBeNull();
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
    240_000,
  );

  it('hands a conversation over once for each transfer, and counts each once, wherever a worker dies (SEED-51, SEED-52)', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1, hasDied = true; hasDied; at += 1) {
        const booked: string[] = [];
        const skills = {
          seats: async function* ({ text, step }: Parameters<TreeSkill['run']>[0]) {
            await step('book', () => Promise.resolve(booked.push(text)));
            yield artifact('seat', `seat for ${text}`);
          },
          flights: async function* ({ text, transfer }: Parameters<TreeSkill['run']>[0]) {
            yield working('begun');
            yield artifact('flight', (await transfer('seats', `${text} by air`)).text);
          },
          root: async function* ({ transfer }: Parameters<TreeSkill['run']>[0]) {
            const there = await transfer('flights', 'Lisbon');
            const back = await transfer('seats', 'home');
            yield completed(`${there.text}, ${back.text}`);
          },
        };
        await stores.now.redis.flushall();
        hasDied = await live(skills, { at, when });
        const ids = await tasks();
        expect(ids).toHaveLength(4);
        for (const id of ids) expect(await stateOf(id)).toBe('TASK_STATE_COMPLETED');
        const counts = await Promise.all(
          ids.map(async (id) => ({ id, count: await stores.now.redis.hget(stores.now.keys.tree(id), 'transfers') })),
        );
        const [tree, ...others] = counts.filter(({ count }) => count !== null);
        expect([tree?.count, ...others]).toEqual(['3']);
        expect(await new TreeBench(stores.now, {}).said(tree?.id ?? '')).toBe('seat for Lisbon by air, seat for home');
        // Between a step and its note is the one window in which it is done again.
        expect([...new Set(booked)]).toEqual(['Lisbon by air', 'home']);
        expect(booked.length).toBeLessThanOrEqual(3);
        expect(await violations(stores.now)).toEqual([]);
      }
    }
  }, 120_000);

  it('has 20 MB of a child in one task, however many others it is handed to by reference (O-52)', async () => {
    const size = 20_000_000;
    const skills = {
      making: async function* () {
        yield artifact('report', 'x'.repeat(size));
      },
      reading: async function* ({ artifacts, text }: Parameters<TreeSkill['run']>[0]) {
        yield completed(String((await artifacts.get(text))?.text.length));
      },
      handing: async function* ({ call, text }: Parameters<TreeSkill['run']>[0]) {
        yield completed((await call('reading', text)).text);
      },
      root: async function* ({ call }: Parameters<TreeSkill['run']>[0]) {
        const reference = artifactRef(await call('making'), 'report');
        yield completed((await call('handing', reference)).text);
      },
    };
    await stores.now.redis.flushall();
    const bench = new TreeBench(stores.now, skills);
    const root = await bench.root('root');
    await bench.settle();
    expect(await bench.said(root)).toBe(String(size));
    const keys = await allKeys(stores.now);
    const sizes = await Promise.all(
      keys.map(async (key) => [key, await stores.now.redis.memory('USAGE', key, 'SAMPLES', 0)] as const),
    );
    const child = stores.now.keys.task(childIdOf(root, 1, 'making#1'));
    expect(sizes.filter(([key, bytes]) => Number(bytes) > 100_000 && !key.startsWith(child))).toEqual([]);
  }, 60_000);

  it('keeps its promises under random commands: runs, lost runs, cancels, times that are over (O-86)', async () => {
    const skills = {
      leaf: async function* ({ text, step, sleep }: Parameters<TreeSkill['run']>[0]) {
        yield working(await step('one', () => Promise.resolve(text)));
        if (text.endsWith('s')) await sleep(3_600_000);
        yield text.endsWith('r') ? rejected('no') : artifact('out', text);
      },
      middle: async function* ({ text, call, map }: Parameters<TreeSkill['run']>[0]) {
        const names = ['a', 'r', 's'].map((end) => `${text}${end}`);
        const showing = { progress: 'artifacts' } as const;
        const { all } = await map(names, (name) => call('leaf', name, showing), { onFailure: 'collect', limit: 2 });
        yield completed(String(all.length));
      },
      root: async function* ({ call, first, ask }: Parameters<TreeSkill['run']>[0]) {
        await first([call('middle', 'x'), call('middle', 'y', { detach: true })]);
        yield completed((await ask('More?')).text);
      },
    };
    const cascade = async (): Promise<void> => {
      for (const id of await stores.now.canceler.due(10)) await stores.now.canceler.cancelBelow(id);
    };
    const waiting = () => stores.now.queue.heads(10, 'all');
    const command = async (bench: TreeBench, what: number, which: number): Promise<void> => {
      const ids = await tasks();
      const id = ids[which % ids.length] ?? '';
      const head = (await waiting()).at(0)?.taskId;
      if (what < 4 && head !== undefined) await bench.finish(head).catch(() => undefined);
      // A worker that dies with its run.
      else if (what === 4 && head !== undefined) await bench.claim(head);
      else if (what === 5) await rescue();
      else if (what === 6 && (await stores.now.word(id)).nonce === PARKED) await stores.now.expireTime(id);
      else if (what === 7) await stores.now.sweeps.wake(10);
      else if (what === 8) await cascade();
      else if (what === 9 && which % 4 === 0) await stores.now.tasks.cancel(OWNER, id);
    };
    const commands = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 999 })), { minLength: 40, maxLength: 80 });
    const property = fc.asyncProperty(commands, async (list) => {
      await stores.now.redis.flushall();
      const bench = new TreeBench(stores.now, skills);
      const roots = [await bench.root('root'), await bench.root('root')];
      const ends = new Map<string, string>();
      for (const [what, which] of list) {
        await command(bench, what, which);
        for (const id of await tasks()) {
          const { state, seq } = await stores.now.word(id);
          if (isTerminal(state) && !ends.has(id)) ends.set(id, `${state} ${String(seq)}`);
          if (ends.has(id)) expect(`${state} ${String(seq)}`).toBe(ends.get(id));
        }
      }
      expect(await violations(stores.now)).toEqual([]);
      for (const root of roots) await stores.now.tasks.cancel(OWNER, root);
      for (let pass = 0; pass < 3; pass += 1) {
        await rescue();
        await cascade();
        for (let heads = await waiting(); heads.length > 0; heads = await waiting()) {
          for (const { taskId } of heads) await bench.finish(taskId).catch(() => undefined);
        }
      }
      for (const root of roots) expect(isTerminal(await stateOf(root))).toBe(true);
      expect(await violations(stores.now)).toEqual([]);
    });
    // The same commands in each run of the suite; others with PARLEY_PROPERTY_RUNS.
    const { PARLEY_PROPERTY_RUNS: runs } = process.env;
    await fc.assert(property, runs === undefined ? { numRuns: 15, seed: 19 } : { numRuns: Number(runs) });
  }, 300_000);

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
