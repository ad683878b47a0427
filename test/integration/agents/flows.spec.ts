import { describe, expect, it } from '@jest/globals';
import {
  Agent,
  call,
  FlowAgent,
  from,
  inline,
  loop,
  map,
  parallel,
  result,
  say,
  sequential,
  sleep,
  type Step,
} from '@parley/sdk/agent';
import { type SkillContext, SkillFailure } from '@parley/sdk';
import { artifact, inputRequired, rejected, working } from '@parley/sdk/skill/events.js';
import { PARKED } from '../../../src/tasks/record/state-word.js';
import { childIdOf, isTaskId } from '../../../src/tasks/task.keys.js';
import { eventually } from '../../kit/run/eventually.js';
import { violations } from '../../kit/checks/invariants.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage } from '../../kit/tasks/task-stores.js';
import { TreeBench, type TreeSkill } from '../../kit/tasks/tree-bench.js';

/** The run of an agent with this flow. */
function flowOf(flow: Step<never>): (context: SkillContext) => ReturnType<FlowAgent['run']> {
  const steps = flow;
  @Agent({ id: 'root', name: 'root', description: 'root', tags: [] })
  class RootAgent extends FlowAgent {
    readonly flow = steps;
  }
  return (context) => new RootAgent().run(context);
}

async function* echo({ text }: SkillContext) {
  yield artifact('out', `${text}!`);
}

describe('an agent with a flow', () => {
  const stores = useTaskStores();

  it('is parked for its children, woken once for a fan-out, and says each thing once (O-26, O-27, O-28)', async () => {
    const flow = sequential<{ parts: readonly string[]; draft: string }>(
      call('echo', { as: 'draft', input: () => 'hello' }),
      say(({ draft }) => `began with ${draft}`),
      map({ over: from.value(['a', 'b', 'c']), each: call('echo'), as: 'parts', limit: 2 }),
      parallel({
        x: call('echo', { input: from.state('draft') }),
        y: sequential(call('echo', { input: from.state('draft') }), call('echo')),
      }),
      loop({
        body: call('echo', { as: 'draft', input: from.state('draft') }),
        until: ({ draft }) => draft.endsWith('!!!'),
        maxIterations: 5,
      }),
      result('all', ({ parts, draft }) => [...parts, draft].join(' ')),
    );
    const bench = new TreeBench(stores.now, { echo, root: flowOf(flow) });
    const root = await bench.root('root');
    await bench.settle();
    const task = await stores.now.task(root);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'a! b! c! hello!!!' }]);
    expect(await violations(stores.now)).toEqual([]);
    expect(bench.began.filter((skill) => skill === 'echo')).toHaveLength(9);
    // First, call, fan-out of three, two branches at once and the second step of one, two rounds.
    expect(bench.began.filter((skill) => skill === 'root').length).toBeLessThanOrEqual(8);
  });

  it('tries a call again after a pause that is in Redis: no slot, no run and no process has the task meanwhile (O-77)', async () => {
    let tries = 0;
    const flaky = async function* () {
      tries += 1;
      yield artifact('out', await Promise.reject(new SkillFailure('not yet')));
    };
    const retry = { times: 2, backoffMs: 60_000 };
    const bench = new TreeBench(stores.now, { flaky, root: flowOf(call('flaky', { input: () => 'x', retry })) });
    const root = await bench.root('root');
    await bench.run(root);
    const before = stores.now.runs.now();
    expect(await bench.settle(1)).toBe(1);
    const [child = ''] = (await stores.now.redis.hkeys(stores.now.keys.children(root))).filter(isTaskId);
    await stores.now.sweeps.settle(child, (await stores.now.word(child)).fence, 'TASK_STATE_FAILED', {
      text: 'not yet',
    });
    await bench.settle();
    expect(await stores.now.word(root)).toMatchObject({ state: 'TASK_STATE_WORKING', nonce: PARKED });
    expect(await stores.now.queue.heads(10, 'all')).toEqual([]);
    const due = await stores.now.dueAt(root);
    expect(due - before).toBeGreaterThanOrEqual(60_000);
    expect(due - before).toBeLessThan(65_000);
    // Whichever process looks at it, and also when a run begins too early: the time stays.
    await stores.now.sweeps.evaluate(root);
    await stores.now.expireTime(root);
    expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 });
    expect(await bench.settle()).toBe(1);
    expect(await stores.now.dueAt(root)).toBe(due);
    expect(tries).toBe(1);
  });

  it('fails with both calls when its flow has changed while it waited', async () => {
    let input = 'first';
    const changing = (context: SkillContext) => flowOf(call('echo', { input: () => input }))(context);
    const bench = new TreeBench(stores.now, { echo, root: changing });
    const root = await bench.root('root');
    await bench.run(root);
    input = 'second';
    await bench.run(childIdOf(root, 1, 'echo'));
    expect(await bench.run(root)).toMatchObject({
      kind: 'threw',
      error: { name: 'JournalMismatch', recorded: expect.stringContaining('call echo of echo with') },
    });
  });

  it('runs a skill in its own turn: once, without a task, checked as a call is', async () => {
    const began: string[] = [];
    const flow = sequential<{ first: string }>(
      inline('shout', { as: 'first', input: from.message() }),
      sleep(100),
      inline('shout', { input: from.state('first') }),
    );
    const bench = new TreeBench(stores.now, {
      root: flowOf(flow),
      shout: async function* ({ text, messages, step, now, random }) {
        began.push(text);
        await step('own', async () => (await now()) + (await random()));
        yield artifact('out', `${text}! ${String(messages.length)}`);
      },
    });
    const root = await bench.root('root', { message: aMessage({ parts: [{ text: 'hey' }] }) });
    await bench.run(root);
    expect(began).toEqual(['hey']);
    await eventually(async () => expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 }));
    await bench.run(root);
    expect(began).toEqual(['hey', 'hey! 1']);
    const { status, artifacts } = await stores.now.task(root);
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifacts?.[0]?.parts).toEqual([{ text: 'hey! 1! 1' }]);
    expect(await stores.now.redis.exists(stores.now.keys.children(root))).toBe(0);
  });

  it.each<[string, TreeSkill, string]>([
    ['its scope is missing', { run: echo, options: { scopes: ['other'] } }, 'lacks the scope "other"'],
    [
      'it fails',
      {
        run: async function* () {
          yield working('…');
          throw new SkillFailure('no way');
        },
      },
      'no way',
    ],
    [
      'it rejects',
      {
        run: async function* () {
          yield rejected('not mine');
        },
      },
      'not mine',
    ],
    [
      'it asks',
      {
        run: async function* () {
          yield inputRequired('What?');
        },
      },
      'it asks its caller',
    ],
    [
      'it calls',
      {
        run: async function* ({ call: make }) {
          yield artifact('out', (await make('root')).text);
        },
      },
      'call() within the step "inline other"',
    ],
  ])('fails where a skill cannot run in its turn: %s', async (_why, other, text) => {
    const bench = new TreeBench(stores.now, { root: flowOf(inline('other')), other });
    const root = await bench.root('root');
    await bench.finish(root);
    expect((await stores.now.word(root)).state).toBe('TASK_STATE_FAILED');
    expect(await bench.said(root)).toContain(text);
  });
});
