import { describe, expect, it } from '@jest/globals';
import { TreeSweep } from '../../../src/agents/tree-sweep.js';
import { type OpenQuestion, QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { authRequired, completed, inputRequired, working } from '@parley/sdk/skill/events.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { PARKED } from '../../../src/tasks/record/state-word.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { AnsweringCaller } from '../../kit/tasks/answering.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { fanOutOf } from '../../kit/tasks/turn-sources.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';

const HOUR_MS = 3_600_000;
const YES_NO = { type: 'object', properties: { approve: { type: 'boolean' } }, required: ['approve'] } as const;

describe('a skill that asks', () => {
  const stores = useTaskStores();

  const listed = async (id: string): Promise<readonly (OpenQuestion & { readonly text: string })[]> => {
    const { status } = await stores.now.task(id);
    const entry = status.message?.metadata?.[QUESTIONS_EXTENSION] as { readonly questions?: never[] } | undefined;
    return entry?.questions ?? [];
  };
  const stateOf = async (id: string) => (await stores.now.word(id)).state.slice('TASK_STATE_'.length);
  const statesOf = async (id: string) =>
    (await stores.now.events(id)).flatMap(({ event: { value } }) =>
      'statusUpdate' in value ? [value.statusUpdate.status.state.slice('TASK_STATE_'.length)] : [],
    );
  /** Runs a task, and does what follows. */
  const run = async (bench: TreeBench, id: string) => {
    const result = await bench.run(id);
    const { tree } = (await stores.now.tasks.facts(OWNER, id))?.traits ?? {};
    await stores.now.board.refresh(tree?.root ?? id);
    return result;
  };

  it('holds nothing until the answer comes, and goes on at that very line (O-40)', async () => {
    let runs = 0;
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask, step }) {
        yield working('looking');
        runs += 1;
        const first = await step('once', () => Promise.resolve(runs));
        const { value, sender } = await ask({ question: 'Approve 12,400 EUR?', schema: YES_NO });
        yield completed(`${JSON.stringify(value)} by ${String(sender?.subject)}, step in run ${String(first)}`);
      },
    });
    const root = await bench.root('root');
    expect(await run(bench, root)).toEqual({ kind: 'parked', hasAsked: true });
    expect(await stores.now.word(root)).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', nonce: PARKED });
    expect(await listed(root)).toEqual([
      expect.objectContaining({
        id: `${root}:1.2`,
        taskId: root,
        path: 'root',
        text: 'Approve 12,400 EUR?',
        schema: YES_NO,
      }),
    ]);
    const boss = { client: 'bank', subject: 'the boss' };
    expect(await new AnsweringCaller(stores.now).say(root, { data: { approve: true } }, boss)).toMatchObject({
      kind: 'answered',
      runs: 1,
    });
    expect(await bench.settle()).toBe(1);
    expect(await bench.said(root)).toBe('{"approve":true} by the boss, step in run 1');
    expect(await statesOf(root)).toEqual(['WORKING', 'WORKING', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED']);
    const { history = [] } = await stores.now.task(root);
    expect(history.flatMap(({ metadata }) => metadata?.[QUESTIONS_EXTENSION] ?? [])).toContainEqual({
      answered: [`${root}:1.2`],
    });
  });

  it('asks again what does not fit, and takes what fits (O-40)', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask }) {
        const { value } = await ask<{ approve: boolean }>({ question: 'Pay?', schema: YES_NO });
        yield completed(value.approve ? 'paid' : 'kept');
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const caller = new AnsweringCaller(stores.now);
    await caller.say(root, 'perhaps');
    expect(await stateOf(root)).toBe('INPUT_REQUIRED');
    expect(await bench.said(root)).toMatch(/^The answer does not fit: answer must be object\.\nPay\?$/);
    expect(await bench.settle()).toBe(0);
    // A text may be JSON.
    await caller.say(root, '{"approve": false}');
    await bench.settle();
    expect(await bench.said(root)).toBe('kept');
  });

  describe('whose skill sees the login by itself', () => {
    /** Looks every 60 ms whether the caller has logged in. */
    const loginOf = (has: () => boolean) =>
      async function* ({ ask, sleep, step }: SkillContext) {
        const seen = async (): Promise<string> => {
          for (let look = 0; !(await step(`look ${String(look)}`, () => Promise.resolve(has()))); look += 1) {
            await sleep(60);
          }
          return 'seen';
        };
        const { value, isWithdrawn } = await ask({
          auth: true,
          question: 'Log in at https://a.example',
          until: seen(),
        });
        yield completed(`${String(value)}${isWithdrawn === true ? '' : ' by the caller'}`);
      };
    const wake = (): Promise<void> => eventually(async () => expect((await stores.now.sweeps.wake(10)).woken).toBe(1));

    it('goes on without a message, and says nothing else until then (A2A-TASKAUTH-02)', async () => {
      let hasLogin = false;
      const bench = new TreeBench(stores.now, { root: loginOf(() => hasLogin) });
      const root = await bench.root('root');
      await run(bench, root);
      for (let look = 0; look < 3; look += 1) {
        await wake();
        await bench.settle();
        expect(await stateOf(root)).toBe('AUTH_REQUIRED');
      }
      const [{ id } = { id: '' }] = await listed(root);
      hasLogin = true;
      await wake();
      await bench.settle();
      expect(await bench.said(root)).toBe('seen');
      expect(await statesOf(root)).toEqual(['WORKING', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
      // It is too late for an answer.
      expect(await new AnsweringCaller(stores.now).say(root, { text: 'done', questionId: id })).not.toMatchObject({
        kind: 'answered',
      });
    });

    it('takes an answer, and a cancel, meanwhile (A2A-TASKAUTH-03)', async () => {
      const bench = new TreeBench(stores.now, { root: loginOf(() => false) });
      const [answered, canceled] = [await bench.root('root'), await bench.root('root')];
      for (const id of [answered, canceled]) await run(bench, id);
      await new AnsweringCaller(stores.now).say(answered, 'I have');
      await bench.settle();
      expect(await bench.said(answered)).toBe('I have by the caller');
      await stores.now.tasks.cancel(OWNER, canceled);
      await bench.settle();
      expect(await stateOf(canceled)).toBe('CANCELED');
    });

    it('goes on by a message with a name, and by the end of another skill (A2A-TASKAUTH-02)', async () => {
      const bench = new TreeBench(stores.now, {
        named: async function* ({ ask, waitFor }) {
          const until = waitFor({ signal: 'logged-in' }).then((message) => message?.text);
          yield completed(String((await ask({ auth: true, question: 'Log in', until })).value));
        },
        login: async function* ({ waitFor }) {
          yield completed(`${String((await waitFor())?.text)} there`);
        },
        called: async function* ({ ask, call }) {
          const { value } = await ask<{ text: string }>({ auth: true, question: 'Log in', until: call('login') });
          yield completed(value.text);
        },
      });
      const caller = new AnsweringCaller(stores.now);
      const named = await bench.root('named');
      await run(bench, named);
      expect(await stateOf(named)).toBe('AUTH_REQUIRED');
      expect(await caller.say(named, { text: 'by the bank', metadata: { signal: 'logged-in' } })).toMatchObject({
        kind: 'woken',
      });
      await bench.settle();
      expect(await bench.said(named)).toBe('by the bank');
      const called = await bench.root('called');
      const login = childIdOf(called, 1, 'login#1');
      for (const id of [called, login]) await run(bench, id);
      await caller.say(login, 'consent');
      await bench.settle();
      expect(await bench.said(called)).toBe('consent there');
    });

    it('fails with what its skill fails with', async () => {
      const bench = new TreeBench(stores.now, {
        root: async function* ({ ask, step }) {
          const until = step('look', () => Promise.reject(new Error('no vault')));
          yield completed(
            await ask({ auth: true, question: 'Log in', until }).then(
              String,
              (error: unknown) => (error as Error).message,
            ),
          );
        },
      });
      const root = await bench.root('root');
      await run(bench, root);
      await bench.settle();
      expect(await bench.said(root)).toBe('no vault');
    });
  });

  it('bubbles the question of a grandchild to the root, and the answer down (O-41)', async () => {
    const bench = new TreeBench(stores.now, {
      leaf: async function* ({ ask }) {
        yield completed((await ask('Which colour?')).text);
      },
      middle: async function* ({ call }) {
        yield completed((await call('leaf')).text);
      },
      root: async function* ({ call }) {
        yield completed((await call('middle')).text);
      },
    });
    const root = await bench.root('root');
    const middle = childIdOf(root, 1, 'middle#1');
    const leaf = childIdOf(middle, 1, 'leaf#1');
    for (const id of [root, middle, leaf]) await run(bench, id);
    expect(await Promise.all([root, middle, leaf].map(stateOf))).toEqual([
      'INPUT_REQUIRED',
      'WORKING',
      'INPUT_REQUIRED',
    ]);
    expect(await listed(root)).toMatchObject([{ taskId: leaf, path: 'root/middle#1/leaf#1', text: 'Which colour?' }]);
    await new AnsweringCaller(stores.now).say(root, 'blue');
    expect(await stateOf(root)).toBe('WORKING');
    await bench.settle();
    expect(await bench.said(root)).toBe('blue');
    // The one before the last is the progress of its child, which has ended.
    expect(await statesOf(root)).toEqual(['WORKING', 'INPUT_REQUIRED', 'WORKING', 'WORKING', 'COMPLETED']);
  });

  it('bubbles what a child asks by ending its turn, and begins its next turn with the answer (O-41)', async () => {
    const bench = new TreeBench(stores.now, {
      login: async function* ({ turn, text }: SkillContext) {
        if (turn === 1) yield authRequired('Please log in');
        else if (turn === 2) yield inputRequired('And your name?');
        else yield completed(`welcome ${text}`);
      },
      root: async function* ({ call }) {
        yield completed((await call('login')).text);
      },
    });
    const root = await bench.root('root');
    const child = childIdOf(root, 1, 'login#1');
    await run(bench, root);
    await run(bench, child);
    expect(await stateOf(root)).toBe('AUTH_REQUIRED');
    const caller = new AnsweringCaller(stores.now);
    await caller.say(root, 'done');
    await run(bench, child);
    expect(await stateOf(root)).toBe('INPUT_REQUIRED');
    expect(await listed(root)).toMatchObject([{ id: `${child}:2`, text: 'And your name?' }]);
    // An answer to the child itself withdraws the question above.
    await caller.say(child, 'Ada');
    await stores.now.board.refresh(root);
    expect(await stateOf(root)).toBe('WORKING');
    await bench.settle();
    expect(await bench.said(root)).toBe('welcome Ada');
  });

  it('gives each of many answers to its own question, in any order (O-42, F11)', async () => {
    const count = 20;
    const bench = new TreeBench(stores.now, {
      leaf: async function* ({ ask, text }) {
        yield completed(`${text}=${(await ask(`What is ${text}?`)).text}`);
      },
      root: async function* ({ call, map }) {
        const names = Array.from({ length: count }, (_unused, at) => `n${String(at)}`);
        const { done } = await map(names, (name) => call('leaf', name), { limit: count });
        yield completed(done.map(({ text }) => text).join(' '));
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    await stores.now.board.refresh(root);
    const open = await listed(root);
    expect(open).toHaveLength(count);
    const caller = new AnsweringCaller(stores.now);
    expect(await caller.say(root, 'to nobody')).toMatchObject({ kind: 'answered', runs: 0 });
    expect(await bench.said(root)).toMatch(/^Which question is this the answer to/);
    const mixed = open.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1));
    await Promise.all(
      mixed.map(({ id, text, taskId }, at) => {
        const answer = text.replace(/What is (.*)\?/, 'a-$1');
        if (at % 3 === 0) return caller.say(root, { text: answer, referenceTaskIds: [taskId] });
        return caller.say(
          root,
          at % 3 === 1 ? { text: answer, questionId: id } : { data: { answers: { [id]: answer } } },
        );
      }),
    );
    await bench.settle();
    const expected = Array.from({ length: count }, (_unused, at) => `n${String(at)}=a-n${String(at)}`);
    expect((await bench.said(root)).split(' ')).toEqual(expected);
  });

  it('takes one of two answers to one question that come at once', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask }) {
        yield completed((await ask('Who?')).text);
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const [{ id } = { id: '' }] = await listed(root);
    const caller = new AnsweringCaller(stores.now);
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((text) => caller.say(root, { text, questionId: id })),
    );
    const taken = outcomes.flatMap((outcome, at) =>
      outcome.status === 'fulfilled' && outcome.value.kind === 'answered' ? ['abc'.charAt(at)] : [],
    );
    expect(taken).toHaveLength(1);
    expect(outcomes.filter((one) => one.status === 'fulfilled' && one.value.kind === 'unknown-question')).toHaveLength(
      2,
    );
    await bench.settle();
    expect(taken).toContain(await bench.said(root));
  });

  it('knows a repeated answer again, and refuses one to a question that is not open', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask, sleep }) {
        const { text } = await ask('Who?');
        await sleep(HOUR_MS);
        yield completed(text);
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const caller = new AnsweringCaller(stores.now);
    await caller.say(root, { text: 'me', messageId: 'm1' });
    expect(await caller.say(root, { text: 'me', messageId: 'm1' })).toMatchObject({ kind: 'sent' });
    await bench.settle();
    expect(await caller.say(root, 'more')).toMatchObject({ kind: 'queued' });
  });

  it('leaves an answer to those who may give it, and says who gave it (O-40, I13)', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask }) {
        const approvers = { subjects: ['boss'], scopes: ['pay'] };
        const { sender, answeredAt } = await ask({ question: 'Pay?', approvers });
        yield completed(`${String(sender?.subject)} of ${String(sender?.client)} ${typeof answeredAt}`);
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const caller = new AnsweringCaller(stores.now);
    const denied = { name: 'A2AError.PermissionDenied' };
    await expect(caller.say(root, 'yes', { subject: 'clerk', scopes: ['pay'] })).rejects.toMatchObject(denied);
    await expect(caller.say(root, 'yes', { subject: 'boss' })).rejects.toMatchObject(denied);
    expect((await stores.now.task(root)).history).toHaveLength(1);
    await caller.say(root, 'yes', { subject: 'boss', scopes: ['pay'], client: 'bank' });
    await bench.settle();
    expect(await bench.said(root)).toBe('boss of bank number');
    const foreign = new AnsweringCaller(stores.now, (skillId) => skillId === 'root');
    const other = await bench.root('root');
    await run(bench, other);
    await expect(foreign.say(other, 'yes', { subject: 'boss', scopes: ['pay'] })).rejects.toThrow('no scope for root');
  });

  it('takes no answer of the caller that began the task where four eyes are asked for', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask }) {
        const { sender } = await ask({ question: 'Pay?', approvers: { fourEyes: true } });
        yield completed(`by ${String(sender?.client)}`);
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const caller = new AnsweringCaller(stores.now);
    const own = { name: 'A2AError.PermissionDenied', metadata: { because: 'four-eyes' } };
    const starter = JSON.parse((await stores.now.field(root, 'j')) ?? '{}') as { readonly client: string };
    await expect(caller.say(root, 'yes', { client: starter.client })).rejects.toMatchObject(own);
    await caller.say(root, 'yes', { client: 'somebody else' });
    await bench.settle();
    expect(await bench.said(root)).toBe('by somebody else');
  });

  it('is decided by the same answer of two persons, whatever runs between', async () => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask }) {
        const [pay, why] = await Promise.all([
          ask({ question: 'Pay?', schema: YES_NO, approvers: { count: 2 } }),
          ask('Why?'),
        ]);
        yield completed(`${JSON.stringify(pay.value)} by ${String(pay.sender?.client)}: ${why.text}`);
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const [pay = '', why = ''] = (await listed(root)).map(({ id }) => id);
    const caller = new AnsweringCaller(stores.now);
    const vote = (client: string, approve: boolean) =>
      caller.say(root, { data: { approve }, questionId: pay }, { client });
    await vote('anna', false);
    expect(await stateOf(root)).toBe('INPUT_REQUIRED');
    expect(await bench.said(root)).toContain('Another person must give the same answer.');
    await expect(vote('anna', true)).rejects.toMatchObject({ metadata: { because: 'voted' } });
    // Another answer begins anew.
    await vote('bob', true);
    await caller.say(root, { text: 'it is due', questionId: why }, { client: 'bob' });
    expect(await bench.settle()).toBe(1);
    expect(await stateOf(root)).toBe('INPUT_REQUIRED');
    expect(await vote('anna', true)).toMatchObject({ kind: 'answered', runs: 1 });
    await bench.settle();
    expect(await bench.said(root)).toBe('{"approve":true} by anna: it is due');
  });

  it.each([
    ['fail', /^threw QuestionTimedOut/],
    ['reject', /^threw SkillRejection/],
    [{ value: 'nobody' }, /^nobody true/],
  ] as const)('ends the wait for an answer in time: %j', async (onTimeout, expected) => {
    const bench = new TreeBench(stores.now, {
      root: async function* ({ ask }) {
        const said = await ask({ question: 'Who?', timeoutMs: 100, onTimeout }).then(
          ({ value, isTimeout }) => `${String(value)} ${String(isTimeout)}`,
          (error: unknown) => `threw ${error instanceof Error ? error.name : ''}`,
        );
        yield completed(said);
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    await eventually(async () => expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 }));
    await bench.run(root);
    expect(await bench.said(root)).toMatch(expected);
    expect(await stores.now.field(root, 'qs')).toBeNull();
  });

  it('shows a question while others of the tree go on only after some seconds, and hides it with its task (pitfall 22)', async () => {
    const bench = new TreeBench(stores.now, {
      asks: async function* ({ ask }) {
        yield completed((await ask('Who?')).text);
      },
      works: async function* ({ sleep }) {
        await sleep(HOUR_MS);
        yield completed('done');
      },
      root: async function* ({ call, all }) {
        yield completed((await all([call('asks'), call('works')])).map(({ text }) => text).join(' '));
      },
    });
    const root = await bench.root('root');
    await bench.settle();
    await stores.now.board.refresh(root);
    expect(await stateOf(root)).toBe('WORKING');
    await stores.now.with({ askAfterMs: 0 }).board.refresh(root);
    expect(await stateOf(root)).toBe('INPUT_REQUIRED');
    await stores.now.tasks.cancel(OWNER, childIdOf(root, 1, 'asks#1'));
    for (const id of await stores.now.canceler.due(10)) await stores.now.canceler.cancelBelow(id);
    // The failed child wakes its parent, which fails.
    expect(await new TreeSweep(stores.now.canceler, stores.now.board, fanOutOf(stores.now)).sweep(10)).toBe(0);
    expect(await bench.run(root)).toMatchObject({ kind: 'threw', error: { name: 'CallFailed' } });
  });

  it('makes no call without its approval (O-40)', async () => {
    const bench = new TreeBench(stores.now, {
      pay: async function* ({ text }) {
        yield completed(`paid ${text}`);
      },
      root: async function* ({ call, map }) {
        const { done, failed } = await map(['1', '2'], (sum) => call('pay', sum, { approval: true }), {
          onFailure: 'collect',
        });
        yield completed(
          [...done.map(({ text }) => text), ...failed.map(({ why, message }) => `${why} ${message}`)].join('; '),
        );
      },
    });
    const root = await bench.root('root');
    await run(bench, root);
    const [first, second] = await listed(root);
    expect(first?.text).toBe('Approve the call of "pay" with 1?');
    const answers = { [first?.id ?? '']: 'approve', [second?.id ?? '']: { approved: false, reason: 'too much' } };
    await new AnsweringCaller(stores.now).say(root, { data: { answers } });
    await bench.settle();
    expect(await bench.said(root)).toBe(
      'paid 1; denied The call of "pay" has no result: it was not approved: too much',
    );
  });
});
