import { describe, expect, it } from '@jest/globals';
import { artifact, completed, inputRequired } from '@parley/sdk/skill/events.js';
import { SkillFailure } from '@parley/sdk/skill/skill.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { AnsweringCaller } from '../../kit/tasks/answering.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

type Context = Parameters<TreeSkill['run']>[0];

const HOUR_MS = 3_600_000;

/** Holds work that has begun until it may end. */
function gate() {
  let begun = (): void => undefined;
  let end = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const mayEnd = new Promise<void>((resolve) => (end = resolve));
  return { hasBegun, mayEnd, begun: () => begun(), end: () => end() };
}

describe('the transfer of a conversation', () => {
  const stores = useTaskStores();

  it('gives the next message to the other agent without a run of the first, which has the last word (SEED-51)', async () => {
    const bench = new TreeBench(stores.now, {
      async *desk({ text, transfer }: Context) {
        const result = await transfer('flights', text);
        yield completed(`You have ${result.text}.`);
      },
      async *flights({ text, turn }: Context) {
        if (turn === 1) yield inputRequired('Where to?');
        else yield artifact('ticket', `a ticket to ${text}`);
      },
    });
    const root = await bench.root('desk');
    const child = childIdOf(root, 1, 'flights#1');
    await bench.run(root);
    await bench.run(child);
    await stores.now.board.refresh(root);
    expect((await stores.now.word(root)).state).toBe('TASK_STATE_INPUT_REQUIRED');
    bench.began.length = 0;
    await new AnsweringCaller(stores.now).say(root, 'Lisbon');
    await bench.settle();
    expect(bench.began).toEqual(['flights', 'desk']);
    expect(await bench.said(root)).toBe('You have a ticket to Lisbon.');
  });

  it('gives it messages that answer no question too, until the conversation is back (O-22)', async () => {
    const bench = new TreeBench(stores.now, {
      async *desk({ text, transfer, waitFor }: Context) {
        const trip = await transfer('flights', text);
        const more = await waitFor({ timeoutMs: HOUR_MS });
        yield completed(`${trip.text}, then ${String(more?.text)} by ${String(more?.sender?.subject)}`);
      },
      async *flights({ text, transfer, waitFor }: Context) {
        const seat = await transfer('seats', text);
        const more = await waitFor({ timeoutMs: HOUR_MS });
        yield completed(`${seat.text}, ${String(more?.text)} by ${String(more?.sender?.subject)}`);
      },
      async *seats({ waitFor }: Context) {
        yield completed(`seat ${String((await waitFor({ timeoutMs: HOUR_MS }))?.text)}`);
      },
    });
    const root = await bench.root('desk');
    await bench.settle();
    const caller = new AnsweringCaller(stores.now);
    const said: string[][] = [];
    for (const text of ['by the window', 'with luggage', 'a hotel']) {
      bench.began.length = 0;
      expect(await caller.say(root, text, { subject: 'Ada' })).toMatchObject({ kind: 'woken' });
      await bench.settle();
      said.push([...bench.began]);
    }
    expect(said).toEqual([['seats', 'flights'], ['flights', 'desk'], ['desk']]);
    expect(await bench.said(root)).toBe('seat by the window, with luggage by Ada, then a hotel by Ada');
    const { history = [] } = await stores.now.task(root);
    const texts = history.flatMap(({ role, parts }) => (role === 'ROLE_USER' ? parts : []));
    expect(texts.slice(1)).toEqual([{ text: 'by the window' }, { text: 'with luggage' }, { text: 'a hotel' }]);
  });

  it('takes such a message once, and begins the next turn of an agent that awaits none (O-22)', async () => {
    const works = gate();
    const bench = new TreeBench(stores.now, {
      async *desk({ text, transfer }: Context) {
        yield completed((await transfer('flights', text)).text);
      },
      async *flights({ text, turn }: Context) {
        if (turn === 1) {
          works.begun();
          await works.mayEnd;
        }
        yield completed(`${text} in turn ${String(turn)}`);
      },
    });
    const root = await bench.root('desk');
    const settled = bench.settle();
    await works.hasBegun;
    const caller = new AnsweringCaller(stores.now);
    const once = { text: 'to Rome', messageId: 'm-2' };
    expect((await caller.say(root, once)).kind).toBe('queued');
    expect((await caller.say(root, once)).kind).toBe('sent');
    works.end();
    await settled;
    await bench.settle();
    expect(await bench.said(root)).toBe('to Rome in turn 2');
    expect(bench.began).toEqual(['desk', 'flights', 'flights', 'desk']);
  });

  it('lets nobody speak to an agent that may not call it (O-22, I13)', async () => {
    const bench = new TreeBench(stores.now, {
      async *desk({ text, transfer }: Context) {
        yield completed((await transfer('flights', text)).text);
      },
      async *flights({ waitFor }: Context) {
        yield completed(String((await waitFor({ timeoutMs: HOUR_MS }))?.text));
      },
    });
    const root = await bench.root('desk');
    await bench.settle();
    const stranger = new AnsweringCaller(stores.now, (skill) => skill === 'flights');
    await expect(stranger.say(root, 'to Rome')).rejects.toThrow('no scope for flights');
    expect((await stores.now.task(root)).history).toHaveLength(1);
  });

  it('ends agents that hand the same input to each other, and says who they are (SEED-52, O-23)', async () => {
    const to = (other: string): TreeSkill['run'] =>
      async function* ({ text, transfer }) {
        yield completed((await transfer(other, text)).text);
      };
    const bench = new TreeBench(stores.now, { a: to('b'), b: to('a') });
    const root = await bench.root('a');
    for (let idle = false; !idle;) {
      const heads = await stores.now.queue.heads(10, 'all');
      idle = heads.length === 0;
      // Each run is lost once: its limits are in the tree.
      for (const { taskId } of heads) {
        await bench.claim(taskId);
        await stores.now.expireLease(taskId);
        await stores.now.sweeps.evaluate(taskId);
        await bench.finish(taskId);
      }
    }
    expect(bench.began.filter((skill) => skill === 'a').length).toBeGreaterThan(1);
    expect(await bench.said(root)).toContain('transfer loop a→b→a');
    expect((await stores.now.word(root)).state).toBe('TASK_STATE_FAILED');
    expect(await stores.now.redis.hget(stores.now.keys.tree(root), 'transfers')).toBe('3');
  });

  it('counts transfers in the tree, over lost runs, and makes no more than it may have (SEED-52, O-23)', async () => {
    const limited = stores.now.with({ mostTransfers: 2 });
    const made: string[] = [];
    const bench = new TreeBench(limited, {
      async *desk({ transfer }: Context) {
        for (const input of ['x', 'y', 'z']) made.push((await transfer('echo', input)).text);
        yield completed('all');
      },
      async *echo({ text }: Context) {
        yield completed(text);
      },
    });
    const root = await bench.root('desk');
    for (let idle = false; !idle;) {
      const heads = await limited.queue.heads(10, 'all');
      idle = heads.length === 0;
      for (const { taskId } of heads) await bench.finish(taskId);
    }
    expect([...new Set(made)]).toEqual(['x', 'y']);
    expect(await bench.said(root)).toContain('a tree has transfers, at most 2');
  });

  it('leaves other calls alone, and a transfer inside of a step is refused', async () => {
    const bench = new TreeBench(stores.now, {
      async *desk({ transfer, step }: Context) {
        yield completed(await step('inside', async () => (await transfer('echo', 'x')).text));
      },
      async *echo({ text }: Context) {
        yield completed(text);
      },
    });
    const root = await bench.root('desk');
    expect(await bench.run(root)).toMatchObject({ kind: 'threw', error: expect.any(SkillFailure) });
  });
});

describe('a skill whose way of working has changed while tasks wait', () => {
  const stores = useTaskStores();
  const leaf: TreeSkill['run'] = async function* ({ text }) {
    yield completed(text);
  };
  const first: TreeSkill['run'] = async function* ({ call }) {
    yield completed(`old ${(await call('leaf', 'one')).text}`);
  };
  const second: TreeSkill['run'] = async function* ({ call }) {
    yield completed(`new ${(await call('leaf', 'two')).text}`);
  };

  it('runs tasks by the version that they have begun with (pitfall 10)', async () => {
    const before = new TreeBench(stores.now, { leaf, root: { run: first } });
    const old = await before.root('root');
    await before.run(old);
    const after = new TreeBench(stores.now, {
      leaf,
      root: { run: second, options: { version: 1 }, previous: [{ run: first }] },
    });
    const young = await after.root('root');
    await after.settle();
    expect([await after.said(old), await after.said(young)]).toEqual(['old one', 'new two']);
  });

  it('passes the version on to children', async () => {
    const bench = new TreeBench(stores.now, { leaf: { run: leaf, options: { version: 3 } }, root: first });
    const root = await bench.root('root');
    await bench.run(root);
    expect((await bench.claim(childIdOf(root, 1, 'leaf#1'))).version).toBe(3);
  });
});
