import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isOfChild, SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import { artifact, chunk, completed, inputRequired, rejected, working } from '@parley/sdk/skill/events.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { TASK_SCRIPTS } from '../../../src/tasks/task.scripts.js';
import { violations } from '../../kit/checks/invariants.js';
import { MortalRedis } from '../../kit/redis/mortal-redis.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER, TaskStores } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

type Context = Parameters<TreeSkill['run']>[0];

const PARK = String(Reflect.get(TASK_SCRIPTS.park, 'sha'));

interface Note {
  readonly seq: number;
  readonly text: string;
  readonly state: unknown;
  readonly path: unknown;
}

describe('the progress of children in the log of their parent (O-67, § 2.7)', () => {
  const stores = useTaskStores();

  const notesOf = async (id: string): Promise<readonly Note[]> =>
    (await stores.now.events(id)).flatMap(({ seq, event: { value } }) => {
      if (!('statusUpdate' in value)) return [];
      const { status, metadata } = value.statusUpdate;
      const child = metadata?.[SUBTASK_EXTENSION] as JsonObject | undefined;
      if (child === undefined) return [];
      expect(status.state).toBe('TASK_STATE_WORKING');
      const text = (status.message?.parts ?? []).flatMap((part) => ('text' in part ? [part.text] : [])).join();
      return [{ seq, text, state: child.state, path: child.path }];
    });

  async function* leaf({ text }: Context) {
    yield working(`reading ${text}`);
    // Not of the same moment as what follows.
    await new Promise((resolve) => setImmediate(resolve));
    yield artifact('out', text);
  }

  it('has what a child says and how it ends, marked with skill, task and path; the status of the parent is its own', async () => {
    const bench = new TreeBench(stores.now, {
      leaf,
      root: async function* ({ call }) {
        yield working('calling');
        yield completed((await call('leaf', 'x')).text);
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    const child = childIdOf(root, 1, 'leaf#1');
    await bench.run(child);
    expect(await notesOf(root)).toEqual([
      { seq: 4, text: 'reading x', state: 'TASK_STATE_WORKING', path: 'root/leaf#1' },
      { seq: 5, text: '', state: 'TASK_STATE_COMPLETED', path: 'root/leaf#1' },
    ]);
    const task = await stores.now.task(root);
    expect(task.status.message?.parts).toEqual([{ text: 'calling' }]);
    expect(task.history).toHaveLength(1);
    await bench.settle();
    expect(await bench.said(root)).toBe('x');
    const [note] = (await stores.now.events(root)).slice(3);
    expect(note?.event.value).toMatchObject({
      statusUpdate: { taskId: root, metadata: { [SUBTASK_EXTENSION]: { taskId: child, skillId: 'leaf' } } },
    });
  });

  /** Runs a tree whose root has just decided to park when some of its children run to their end. */
  const endingMeanwhile = async (root: Record<string, TreeSkill['run']>, children: readonly string[]) => {
    const skills = { leaf, ...root };
    const other = new TreeBench(stores.now, skills);
    const id = await other.root('root');
    let hasRun = false;
    const meanwhile = async (sha: string): Promise<void> => {
      if (sha !== PARK || hasRun) return;
      hasRun = true;
      for (const key of children) await other.run(childIdOf(id, 1, key));
    };
    const mortal = new MortalRedis(stores.now.redis, { at: 0, when: 'before' }, meanwhile);
    const result = await new TreeBench(new TaskStores(mortal.redis, stores.now.options), skills).run(id);
    expect(hasRun).toBe(true);
    return { id, result, other };
  };

  it('keeps what comes while the parent runs, and shows it before what the parent says next', async () => {
    const root = async function* ({ call }: Context) {
      yield completed((await call('leaf', 'x')).text);
    };
    const { id, result } = await endingMeanwhile({ root }, ['leaf#1']);
    expect(result).toMatchObject({ kind: 'committed' });
    expect(await notesOf(id)).toMatchObject([{ text: 'reading x' }, { state: 'TASK_STATE_COMPLETED' }]);
    expect((await stores.now.events(id)).at(-1)?.event.text).toContain('COMPLETED');
    expect(await stores.now.redis.exists(stores.now.keys.notes(id))).toBe(0);
  });

  it('shows it with the park, where the parent goes on waiting', async () => {
    const root = async function* ({ call, all }: Context) {
      yield completed((await all([call('leaf', 'a'), call('leaf', 'b')])).map(({ text }) => text).join());
    };
    const { id, result, other } = await endingMeanwhile({ root }, ['leaf#1']);
    expect(result).toEqual({ kind: 'parked' });
    expect(await notesOf(id)).toMatchObject([{ text: 'reading a' }, { path: 'root/leaf#1' }]);
    expect(await stores.now.redis.exists(stores.now.keys.notes(id))).toBe(0);
    await other.settle();
    expect(await other.said(id)).toBe('a,b');
    expect(await notesOf(id)).toHaveLength(4);
  });

  it('shows nothing of a call that hides it, and nothing of grandchildren', async () => {
    const bench = new TreeBench(stores.now, {
      leaf,
      middle: async function* ({ call }) {
        yield completed((await call('leaf', 'deep')).text);
      },
      root: async function* ({ call }) {
        await call('leaf', 'hidden', { progress: 'none' });
        yield completed((await call('middle')).text);
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    expect(await notesOf(root)).toEqual([
      { seq: 3, text: 'deep', state: 'TASK_STATE_COMPLETED', path: 'root/middle#1' },
    ]);
    expect(await notesOf(childIdOf(root, 1, 'middle#1'))).toHaveLength(2);
  });

  it('takes at most four statuses a second of a child, with a thousand characters each, and always its end', async () => {
    const bench = new TreeBench(stores.now, {
      chatty: async function* () {
        for (let n = 0; n < 200; n += 1) yield working(`${String(n)} ${'x'.repeat(5_000)}`);
        yield rejected('enough');
      },
      root: async function* ({ call, map }) {
        await map([1], () => call('chatty'), { onFailure: 'collect' });
        yield completed('done');
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    const begun = Date.now();
    await bench.run(childIdOf(root, 1, 'chatty#1'));
    const notes = await notesOf(root);
    expect(notes.length).toBeLessThanOrEqual(2 + (Date.now() - begun) / 250);
    expect(notes.at(-1)).toMatchObject({ text: 'enough', state: 'TASK_STATE_REJECTED' });
    for (const { text } of notes) expect(text.length).toBeLessThanOrEqual(1_002);
    await bench.settle();
  });

  it('is bounded in bytes for each task, and goes on without', async () => {
    const bench = new TreeBench(stores.now, {
      leaf,
      root: async function* ({ call }) {
        await call('leaf', '1');
        yield completed((await call('leaf', '2')).text);
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    await stores.now.redis.hset(stores.now.keys.task(root), 'nb', 1_048_576);
    await bench.settle();
    expect(await notesOf(root)).toEqual([]);
    expect(await bench.said(root)).toBe('2');
  });

  const HOUR_MS = 3_600_000;

  /** Pieces of the artifacts of children in the log of a task: id, text, and whether they go on and are the last. */
  const piecesOf = async (id: string): Promise<readonly (readonly [string, string, ...string[]])[]> =>
    (await stores.now.events(id)).flatMap(({ event: { value } }) => {
      if (!('artifactUpdate' in value) || !isOfChild(value)) return [];
      const { artifact: piece, append = false, lastChunk = false } = value.artifactUpdate;
      const text = piece.parts.map((part) => ('text' in part ? part.text.slice(0, 20) : '')).join();
      return [[piece.artifactId, text, ...(append ? ['append'] : []), ...(lastChunk ? ['last'] : [])] as const];
    });

  /** Writes an artifact in so many pieces. */
  const writer = (size = 1) =>
    async function* ({ text }: Context) {
      yield working('writing');
      await new Promise((resolve) => setImmediate(resolve));
      const pieces = Number(text);
      for (let n = 1; n <= pieces; n += 1) {
        yield chunk('out', String(n).padEnd(size, '.'), { last: n === pieces });
      }
    };

  const showing = (skill: string, input: string) =>
    async function* ({ call }: Context) {
      yield completed((await call(skill, input, { progress: 'artifacts' })).text);
    };

  it('has the artifacts of a child piece by piece where the call shows them, and stores them once (§ 2.7)', async () => {
    const bench = new TreeBench(stores.now, { writer: writer(), root: showing('writer', '3') });
    const root = await bench.root('root');
    await bench.run(root);
    const child = childIdOf(root, 1, 'writer#1');
    await bench.run(child);
    const id = 'root/writer#1/out';
    const all = [
      [id, '1'],
      [id, '2', 'append'],
      [id, '3', 'append', 'last'],
    ];
    expect(await piecesOf(root)).toEqual(all);
    expect(await notesOf(root)).toMatchObject([{ text: 'writing' }, { state: 'TASK_STATE_COMPLETED' }]);
    const events = await stores.now.events(root);
    const of = { taskId: child, skillId: 'writer', path: 'root/writer#1', state: 'TASK_STATE_WORKING' };
    expect(events[4]?.event.value).toMatchObject({
      artifactUpdate: { taskId: root, metadata: { [SUBTASK_EXTENSION]: of } },
    });
    // A reader that comes back goes on behind what it has.
    const rest = await stores.now.log.from(root, 6, 100);
    expect(rest.map(({ seq }) => seq)).toEqual(events.slice(5).map(({ seq }) => seq));
    await bench.settle();
    const task = await stores.now.task(root);
    expect(task).not.toHaveProperty('artifacts');
    expect(await bench.said(root)).toBe('1\n2\n3');
    expect(await piecesOf(root)).toEqual(all);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('has what a child says and shows right before it waits or asks', async () => {
    const bench = new TreeBench(stores.now, {
      sleeper: async function* ({ sleep }) {
        yield working('going to sleep');
        yield chunk('out', 'a');
        await sleep(HOUR_MS);
      },
      asker: async function* ({ turn }) {
        yield chunk('out', 'q');
        yield turn === 1 ? inputRequired('What?') : completed('');
      },
      root: async function* ({ all, call }) {
        await all(['sleeper', 'asker'].map((skill) => call(skill, '', { progress: 'artifacts' })));
        yield completed('done');
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    expect(await bench.run(childIdOf(root, 1, 'sleeper#1'))).toEqual({ kind: 'parked' });
    await bench.run(childIdOf(root, 1, 'asker#1'));
    expect(await notesOf(root)).toMatchObject([{ text: 'going to sleep' }]);
    expect(await piecesOf(root)).toEqual([
      ['root/sleeper#1/out', 'a'],
      ['root/asker#1/out', 'q'],
    ]);
  });

  it('loses none when the run dies that was about to store them, and shows none twice', async () => {
    const skills = { writer: writer(), root: showing('writer', '3') };
    const other = new TreeBench(stores.now, skills);
    const id = await other.root('root');
    let [hasRun, scripts] = [false, 0];
    // The child runs to its end when its parent is about to be parked; that one learns of it, and dies at its next commit.
    const death = { at: 0, when: 'before' as 'before' | 'after' };
    const meanwhile = async (sha: string): Promise<void> => {
      scripts += 1;
      if (hasRun) return;
      if (sha !== PARK) return;
      hasRun = true;
      await other.run(childIdOf(id, 1, 'writer#1'));
      death.at = scripts + 1;
    };
    const mortal = new MortalRedis(stores.now.redis, death, meanwhile);
    const dying = new TreeBench(new TaskStores(mortal.redis, stores.now.options), skills);
    await Promise.race([dying.run(id), mortal.died]);
    expect(mortal.hasDied).toBe(true);
    expect(await piecesOf(id)).toEqual([]);
    await stores.now.expireLease(id);
    await stores.now.sweeps.evaluate(id);
    await other.settle();
    expect(await other.said(id)).toBe('1\n2\n3');
    expect((await piecesOf(id)).map(([, text]) => text)).toEqual(['1', '2', '3']);
    expect(await notesOf(id)).toMatchObject([{ text: 'writing' }, { state: 'TASK_STATE_COMPLETED' }]);
    expect(await stores.now.redis.exists(stores.now.keys.notes(id))).toBe(0);
    expect(await violations(stores.now)).toEqual([]);
  });

  it.each([
    ['a piece of more than 256 KiB', 300_000, 0],
    ['more than 1 MiB of pieces', 200_000, 5],
  ])('shows no piece of a child behind %s', async (_what, size, shown) => {
    const bench = new TreeBench(stores.now, { writer: writer(size), root: showing('writer', '7') });
    const root = await bench.root('root');
    await bench.settle();
    expect((await piecesOf(root)).map(([, text]) => text.replaceAll('.', ''))).toEqual(
      ['1', '2', '3', '4', '5'].slice(0, shown),
    );
    expect((await notesOf(root)).at(-1)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    const child = childIdOf(root, 1, 'writer#1');
    expect(await stores.now.redis.hget(stores.now.keys.task(child), 'nx')).toBe('1');
    // Others have the room that is left.
    expect((await stores.now.task(child)).artifacts?.[0]?.parts).toHaveLength(7);
  });

  it('keeps at most a thousand pieces for a task whose run goes on', async () => {
    const root = async function* ({ call }: Context) {
      yield completed((await call('writer', '1200', { progress: 'artifacts' })).taskId);
    };
    const { id, result } = await endingMeanwhile({ root, writer: writer() }, ['writer#1']);
    expect(result).toMatchObject({ kind: 'committed' });
    expect((await piecesOf(id)).at(-1)?.[1]).toBe('999');
    expect((await notesOf(id)).at(-1)).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it('says that a child was canceled, and nothing to a parent that has ended (O-86)', async () => {
    const bench = new TreeBench(stores.now, {
      leaf,
      root: async function* ({ call, map }) {
        const { failed } = await map(['a', 'b'], (item) => call('leaf', item), { onFailure: 'collect' });
        yield completed(String(failed.length));
      },
    });
    const root = await bench.root('root');
    await bench.run(root);
    await stores.now.tasks.cancel(OWNER, childIdOf(root, 1, 'leaf#1'));
    expect(await notesOf(root)).toMatchObject([{ state: 'TASK_STATE_CANCELED', path: 'root/leaf#1' }]);
    await stores.now.tasks.cancel(OWNER, root);
    const ended = await stores.now.events(root);
    await stores.now.canceler.cancelBelow(root);
    expect(await stores.now.events(root)).toEqual(ended);
    expect(await stores.now.redis.exists(stores.now.keys.notes(root))).toBe(0);
  });
});
