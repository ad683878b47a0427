import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import { artifact, inputRequired, rejected, type SkillEvent, working } from '../skill/events.js';
import { CallFailed } from '../skill/calls/call.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler, type SkillOptions } from '../skill/skill.js';
import { runFlow, type FlowRun } from '../testing/run-flow.js';
import type { SkillInput } from '../testing/test-input.js';
import { Agent, FlowAgent } from './agent.js';
import { approval, ask } from './flow/ask.js';
import { call } from './flow/call-step.js';
import { graph } from './flow/graph.js';
import { critic, loop } from './flow/loop.js';
import { map, parallel } from './flow/parallel.js';
import { compute, end, exit, result, route, say, sequential, sleep, step, when } from './flow/sequence.js';
import { shared } from './flow/shared.js';
import { from } from './source.js';
import type { AnyStep } from './step.js';
import { transfer } from './flow/transfer.js';

const about = (id: string): SkillOptions => ({ id, name: id, description: `About ${id}`, tags: [] });

/** Runs a flow as the one of an agent. */
function run(flow: AnyStep, input: SkillInput | string = {}, options: Partial<SkillOptions> = {}): Promise<FlowRun> {
  const steps = flow;
  @Agent({ ...about('tested'), ...options })
  class TestedAgent extends FlowAgent {
    readonly flow = steps;
  }
  return runFlow(TestedAgent, input);
}

/** The same with a crash after each entry of the journal: the outcome must be the same, and no child may be created twice. */
async function runBoth(flow: AnyStep, input: SkillInput = {}, options: Partial<SkillOptions> = {}): Promise<FlowRun> {
  const whole = await run(flow, input, options);
  const crashed = await run(flow, { ...input, crashAfter: 'each' }, options);
  const shown = ({ state, text, events, calls }: FlowRun) => ({
    ...{ state, text, events },
    calls: calls.map(({ key, skillId, input: given }) => ({ key, skillId, given })),
  });
  expect(shown(crashed)).toEqual(shown(whole));
  if (whole.calls.length > 0) expect(crashed.runs).toBeGreaterThan(1);
  return whole;
}

const keysOf = ({ calls }: FlowRun): readonly string[] => calls.map(({ key }) => key);
const upper = (input: unknown): string => String(input).toUpperCase();
const fails = (): never => {
  throw new CallFailed('x', 'failed', 'it broke');
};

class Person {
  @IsString()
  name!: string;
}

describe(sequential.name, () => {
  it("runs seed 002's onboarding: collect, then validate the collected data; a crash between repeats neither (O-24, O-26, SEED-54)", async () => {
    const collected: unknown[] = [];
    const children = {
      collect: (input: unknown) => {
        collected.push(input);
        return { name: 'Ada', email: 'ada@example.com' };
      },
      validate: (input: unknown) => ({ isValid: JSON.stringify(input).includes('@') }),
    };
    const flow = sequential(
      call('collect', { as: 'user' }),
      call('validate', { input: { email: from.state('user', 'email') } }),
    );
    const { output, calls } = await runBoth(flow, { text: 'I am Ada', children });
    expect(output).toEqual({ isValid: true });
    expect(calls.map(({ input }) => input)).toEqual([[{ text: 'I am Ada' }], { email: 'ada@example.com' }]);
    expect(collected).toHaveLength(2);
  });

  it('hands each value on: the output of a skill, or its text (O-26)', async () => {
    const { artifacts } = await runBoth(sequential(call('upper'), call('wrap')), {
      text: 'a',
      children: {
        upper: (input) => upper((input as { text: string }[])[0]?.text),
        wrap: (input) => `<${JSON.stringify(input)}>`,
      },
    });
    expect(artifacts).toEqual([{ artifactId: 'result', parts: [{ text: '<"A">' }] }]);
  });

  it('gives the artifacts of its last step as the result (O-85)', async () => {
    @Skill(about('report'))
    class ReportSkill implements SkillHandler {
      async *run(): AsyncGenerator<SkillEvent, void, void> {
        yield working('busy');
        yield artifact('report', [{ data: { pages: 2 } }, { text: 'two pages' }], { name: 'Report' });
      }
    }
    const { artifacts, state } = await run(sequential(call('report'), say('done')), {
      children: { report: ReportSkill },
    });
    expect(state).toBe('completed');
    expect(artifacts).toEqual([
      { artifactId: 'report', name: 'Report', parts: [{ data: { pages: 2 } }, { text: 'two pages' }] },
    ]);
  });

  it('reads the typed input of the agent, and names calls by their position (O-20)', async () => {
    const flow = sequential<{ input: Person }>(
      call('greet', { input: from.input('name') }),
      sequential(call('greet', { input: ({ input }) => `again ${input.name}` }), call('greet', { as: 'third' })),
    );
    const children = { greet: (input: unknown) => String(input) };
    const result = await runBoth(flow, { data: [{ name: 'Ada' }], children }, { input: Person });
    expect(keysOf(result)).toEqual(['greet', 'sequential/greet', 'sequential/third']);
    expect(result.artifacts[0]?.parts).toEqual([{ text: 'again Ada' }]);
  });
});

describe(call.name, () => {
  it('tries again after pauses that grow, and gives up with the last fault (O-77)', async () => {
    let tries = 0;
    const flaky = (): string => (++tries < 3 ? fails() : 'ok');
    const flow = sequential(
      call('flaky', { retry: { times: 2, backoffMs: 1_000 } }),
      step('at', async () => 'done'),
    );
    expect(keysOf(await run(flow, { children: { flaky } }))).toEqual(['flaky', 'flaky~2', 'flaky~3']);
    const failed = await runBoth(call('flaky', { retry: { times: 1 } }), { children: { flaky: fails } });
    expect(failed).toMatchObject({ state: 'failed', text: 'The call of "flaky" has no result: it broke' });
    expect(keysOf(failed)).toEqual(['flaky', 'flaky~2']);
  });

  it('does not retry a call that cannot succeed (O-77)', async () => {
    const wrong = (): never => {
      throw new CallFailed('x', 'schema', 'text: is needed');
    };
    expect(keysOf(await run(call('wrong', { retry: { times: 3 } }), { children: { wrong } }))).toEqual(['wrong']);
  });

  it.each([
    ['fails', fails],
    ['gives nothing good enough', () => ({ invoice: null })],
  ])('runs its fallback once, with the reason, if the skill %s (O-07)', async (_, fetch) => {
    const flow = call('fetch', {
      success: (value) => (value as { invoice: unknown }).invoice !== null,
      fallback: call('notify', { input: (_state, { failure }) => ({ reason: failure ?? '' }) }),
    });
    const notify = (input: unknown) => ({ notified: input });
    const { output, calls } = await runBoth(flow, { children: { fetch, notify } });
    expect(output).toMatchObject({ notified: { reason: expect.stringMatching(/broke|not good enough/) } });
    expect(calls.map(({ key }) => key)).toEqual(['fetch', 'notify']);
  });

  it('makes an irreversible call only when it is approved (O-32)', async () => {
    const flow = (isApproved: boolean) =>
      sequential(
        compute('decision', () => isApproved),
        call<{ decision: boolean }>('pay', { approved: ({ decision }) => decision }),
      );
    const children = { pay: () => 'paid' };
    expect(await run(flow(true), { children })).toMatchObject({ state: 'completed' });
    const refused = await run(flow(false), { children });
    expect(refused).toMatchObject({ state: 'failed', text: '"pay" was not approved', calls: [] });
  });
});

describe(parallel.name, () => {
  const children = { sentiment: () => ({ mood: 'good' }), keywords: () => ({ words: ['a', 'b'] }) };

  it("runs seed 002's two views of one text: both results by the names of the branches (O-24, O-27, SEED-55)", async () => {
    const flow = sequential(
      parallel({ mood: call('sentiment'), words: call('keywords') }, { as: 'views' }),
      say('merged'),
    );
    const result = await runBoth(flow, { text: 'Fine', children });
    expect(result.output).toEqual({ mood: { mood: 'good' }, words: { words: ['a', 'b'] } });
    expect(keysOf(result)).toEqual(['views/mood', 'views/words']);
  });

  it('keeps four results and one reason when one of five branches fails (O-33)', async () => {
    const branches = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name) => [name, call(name === 'c' ? 'bad' : 'ok')]),
    );
    const flow = parallel(branches, { onFailure: 'collect' });
    const { output } = await runBoth(flow, { children: { ok: () => 'fine', bad: fails } });
    expect(output).toEqual({
      done: { a: 'fine', b: 'fine', d: 'fine', e: 'fine' },
      failed: { c: 'The call of "bad" has no result: it broke' },
    });
  });

  it('fails with the first failure unless it says otherwise (O-33)', async () => {
    const bad = await runBoth(parallel({ a: call('ok'), b: call('bad') }), {
      children: { ok: () => 'fine', bad: fails },
    });
    expect(bad).toMatchObject({ state: 'failed', text: 'The call of "bad" has no result: it broke' });
  });

  it('is settled by a quorum, and fails when that is out of reach (O-33, O-34)', async () => {
    const votes = (children: Record<string, () => string>) =>
      runBoth(parallel({ a: call('a'), b: call('b'), c: call('c') }, { onFailure: 'quorum', quorum: 2 }), { children });
    const two = await votes({ a: () => 'yes', b: () => 'yes', c: () => 'yes' });
    expect(two.output).toMatchObject({ done: { a: 'yes', b: 'yes' }, failed: { c: expect.stringContaining('over') } });
    expect(keysOf(two)).toEqual(['a', 'b']);
    expect(await votes({ a: fails, b: fails, c: () => 'yes' })).toMatchObject({ state: 'failed' });
  });

  it('runs branches of several steps with their own values, and joins their writes by reducers (O-51, O-34)', async () => {
    const branch = (value: unknown) =>
      sequential(
        call('ok'),
        compute('found', () => value),
        say('found'),
      );
    const flow = sequential(
      parallel({ a: branch(['x']), b: branch(['y']) }, { reduce: { found: 'append' } }),
      compute('all', ({ found }) => ({ found })),
    );
    const { output, events } = await runBoth(flow, { children: { ok: () => 'fine' } });
    expect(output).toEqual({ found: ['x', 'y'] });
    expect(events.filter(({ kind }) => kind === 'status').map(({ metadata }) => metadata)).toEqual([
      { branch: 'parallel/a' },
      { branch: 'parallel/b' },
    ]);
  });

  it('is not tried by the kit where branches disagree without a rule: the service would not start (O-34)', async () => {
    const flow = parallel({
      a: when(
        () => true,
        compute('total', () => 1),
      ),
      b: compute('total', () => 2),
    });
    await expect(run(flow)).rejects.toThrow('the branches "a" and "b" both write "total": declare a reducer for it');
  });

  it('limits the branches of several steps that run at once (O-27)', async () => {
    let [running, most] = [0, 0];
    const busy = async (): Promise<string> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return 'ok';
    };
    const branches = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`b${at}`, sequential(call('busy'), call('busy'))]),
    );
    await run(parallel(branches, { limit: 2 }), { children: { busy } });
    expect(most).toBe(2);
  });
});

describe(map.name, () => {
  const texts = (input: unknown) => (input === 'bad' ? fails() : String(input).length);

  it('runs a call for each item of a list whose length is known only then (O-27)', async () => {
    const flow = map({
      over: ({ text }) => String(text).split(' '),
      each: call('size', { input: from.item() }),
      as: 'sizes',
    });
    const result = await runBoth(flow, { text: 'a bb ccc', children: { size: (input) => ({ size: texts(input) }) } });
    expect(result.output).toEqual([{ size: 1 }, { size: 2 }, { size: 3 }]);
    expect(keysOf(result)).toEqual(['0', '1', '2']);
  });

  it('collects failures with their index in the list (O-33)', async () => {
    const flow = map({
      over: from.value(['a', 'bad']),
      each: sequential(say('one'), call('size', { input: from.item() })),
      onFailure: 'collect',
    });
    const { output } = await runBoth(flow, { children: { size: (input) => ({ size: texts(input) }) } });
    expect(output).toEqual({
      done: [{ index: 0, value: { size: 1 } }],
      failed: [{ index: 1, reason: 'The call of "size" has no result: it broke' }],
    });
  });

  it('takes a list of nothing (pitfall 24)', async () => {
    expect((await run(map({ over: from.value([]), each: call('size') }))).output).toEqual([]);
  });
});

describe(loop.name, () => {
  const draft = (input: unknown) => `${String(input)}.`;

  it.each([
    ['its condition holds', 5, { outcome: 'done', rounds: 3, value: 'draft...' }],
    ['there are no more rounds', 2, { outcome: 'exhausted', rounds: 2, value: 'draft..' }],
  ])("repeats seed 002's draft until %s (O-28, SEED-56)", async (_, maxIterations, value) => {
    const flow = sequential(
      compute('first', () => 'draft'),
      loop({
        body: call('draft', { as: 'current' }),
        until: ({ current }) => String(current).endsWith('...'),
        maxIterations,
        as: 'drafts',
      }),
      compute('told', ({ drafts }) => drafts),
    );
    const result = await runBoth(flow, { children: { draft } });
    expect(result.output).toEqual(value);
    expect(keysOf(result)[1]).toBe('drafts/[2]');
  });

  it("ends when its body breaks, with the round's result so far (O-24, O-28)", async () => {
    const flow = loop({
      body: sequential(
        call('draft', { input: (_state, { round }) => `round ${round ?? 0}` }),
        when((_state, { round }) => round === 2, exit()),
      ),
      maxIterations: 9,
      as: 'drafts',
    });
    const told = compute('told', ({ drafts }) => drafts);
    const { output } = await runBoth(sequential(flow, told), { children: { draft } });
    expect(output).toMatchObject({ outcome: 'exited', rounds: 2, value: 'round 2.' });
  });

  it('keeps the last value that is not empty (O-28, pitfall 23)', async () => {
    const flow = loop({
      body: compute('draft', (_state, { round }) => (round === 1 ? 'good' : '')),
      until: (_state, { round }) => round === 3,
      maxIterations: 9,
    });
    expect((await run(flow)).output).toMatchObject({ outcome: 'done', rounds: 3, value: 'good' });
  });
});

describe(critic.name, () => {
  it('makes drafts until a review accepts one, and gives the draft as the result (O-29)', async () => {
    @Skill(about('write'))
    class WriteSkill implements SkillHandler {
      async *run({ data }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        const [{ length }] = data as [{ length: number }];
        yield artifact('text', 'x'.repeat(length), { name: 'Text' });
      }
    }
    const flow = critic({
      generate: call('write', { input: (_state, { round = 1 }) => ({ length: 4 - round }) }),
      review: call('review', { input: { text: from.state('draft') } }),
      accept: (review) => (review as { faults: number }).faults === 0,
      maxRounds: 4,
      as: 'polished',
    });
    const review = (input: unknown) => ({ faults: (input as { text: string }).text.length > 2 ? 1 : 0 });
    const result = await runBoth(
      sequential(
        flow,
        say(({ polished }) => JSON.stringify(polished)),
      ),
      {
        children: { write: WriteSkill, review },
      },
    );
    expect(result.artifacts).toEqual([{ artifactId: 'text', name: 'Text', parts: [{ text: 'xx' }] }]);
    expect(JSON.parse(result.text)).toEqual({ outcome: 'done', rounds: 2, draft: 'xx', review: { faults: 0 } });
  });
});

describe(route.name, () => {
  const flow = sequential(
    call('kind', { as: 'kind' }),
    route(({ kind }) => (kind === 'none' ? end.rejected('No such document.') : String(kind)), {
      legal: call('summarize_legal', { input: from.message() }),
      science: call('summarize_scientific', { input: from.message() }),
      general: call('summarize_generic', { input: from.message() }),
      foreign: call('remote:translators', { input: from.message() }),
    }),
  );
  const children = (kind: string) => ({
    kind: () => kind,
    summarize_legal: () => 'legal',
    summarize_scientific: () => 'scientific',
    summarize_generic: () => 'generic',
    'remote:translators': () => 'from elsewhere',
  });

  it.each([
    ['legal', 'legal'],
    ['science', 'scientific'],
    ['general', 'generic'],
    ['foreign', 'from elsewhere'],
  ])("is seed 002's delegator: %s (O-25)", async (kind, text) => {
    const { artifacts, calls } = await runBoth(flow, { text: 'x', children: children(kind) });
    expect(artifacts[0]?.parts).toEqual([{ text }]);
    expect(calls).toHaveLength(2);
  });

  it('ends the flow, or fails where there is no such way (O-25)', async () => {
    expect(await run(flow, { children: children('none') })).toMatchObject({
      state: 'rejected',
      text: 'No such document.',
    });
    expect(await run(flow, { children: children('art') })).toMatchObject({
      state: 'failed',
      text: /no way "art"/ as never,
    });
  });
});

describe(graph.name, () => {
  const flow = graph({
    start: 'draft',
    nodes: {
      draft: call('draft', { as: 'written' }),
      check: call('check', { as: 'verdict' }),
      publish: call('publish', { input: from.state('written') }),
    },
    edges: {
      draft: 'check',
      check: { to: ['draft', 'publish'], choose: ({ verdict }) => (verdict === 'good' ? 'publish' : 'draft') },
      publish: 'end',
    },
    maxVisits: 3,
  });

  it('goes round until an edge leads on, also over a crash in the middle of the cycle (O-24, O-30)', async () => {
    let drafts = 0;
    const draft = () => `draft ${String(++drafts)}`;
    const check = (input: unknown) => (String(input) === 'draft 2' ? 'good' : 'bad');
    const publish = (input: unknown) => `out: ${String(input)}`;
    const { artifacts, calls } = await run(flow, {
      text: 'a',
      children: { draft, check, publish },
      crashAfter: 'each',
    });
    expect(artifacts[0]?.parts).toEqual([{ text: 'out: draft 2' }]);
    expect(calls.map(({ key }) => key)).toEqual(['draft', 'check', 'draft#2', 'check#2', 'publish']);
  });

  it('fails when a cycle does not end (O-30)', async () => {
    const { state, text } = await runBoth(flow, {
      children: { draft: () => 'x', check: () => 'bad', publish: () => 'x' },
    });
    expect({ state, text }).toEqual({ state: 'failed', text: 'The graph visits "draft" more than 3 times' });
  });
});

describe('people in a flow', () => {
  const SENDER = { tenant: 't', client: 'portal', subject: 'ada' };

  it('asks, waits, and continues with the checked answer (O-40)', async () => {
    const flow = sequential(
      call('price', { as: 'price' }),
      ask({
        as: 'go',
        question: ({ price }) => `Order for ${String(price)}?`,
        schema: { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] },
      }),
      call('order', { input: from.state('go') }),
    );
    const asked: string[] = [];
    const answers = ({ text }: { text: string }) => {
      asked.push(text);
      return { yes: true };
    };
    const { output, runs } = await run(flow, {
      children: { price: () => '12 EUR', order: (input) => ({ ordered: input }) },
      answers,
      crashAfter: 'each',
    });
    expect(output).toEqual({ ordered: { yes: true } });
    expect(asked).toEqual(['Order for 12 EUR?']);
    expect(runs).toBeGreaterThan(2);
  });

  it.each([
    ['approve', { approved: true }],
    ['reject', { approved: false }],
    [
      { approved: false, reason: 'too much' },
      { approved: false, reason: 'too much' },
    ],
    ['承認します。処理を続けてください。', { approved: true }],
    ['No, too much', { approved: false, reason: 'No, too much' }],
  ])('asks for an approval, and names its giver: %j (O-40, S16)', async (answer, verdict) => {
    const flow = sequential(
      approval({ as: 'verdict', question: 'Pay?' }),
      compute('told', ({ verdict: said }) => said),
    );
    const { output } = await runBoth(flow, { answers: [answer], sender: SENDER, nowMs: 5 });
    expect(output).toMatchObject({ ...verdict, by: SENDER });
  });

  it('takes no answer in time for a no (O-40)', async () => {
    const flow = sequential(
      approval({ as: 'verdict', question: 'Pay?', timeoutMs: 1_000 }),
      compute('told', ({ verdict }) => verdict),
    );
    expect((await run(flow)).output).toEqual({ approved: false });
  });

  it('asks before a call that needs it, and makes none that is denied (O-40)', async () => {
    const flow = parallel(
      { pay: call('pay', { approval: { question: 'Pay it?' } }), log: call('log') },
      { onFailure: 'collect' },
    );
    const { output, calls } = await run(flow, {
      children: { pay: () => 'paid', log: () => 'logged' },
      answers: ['No, wrong account'],
    });
    const why = expect.stringContaining('not approved: No, wrong account');
    expect(output).toMatchObject({ done: { log: 'logged' }, failed: { pay: why } });
    expect(calls.map(({ skillId }) => skillId)).toEqual(['log']);
  });

  it('answers the questions of children that end their turn with one (O-41)', async () => {
    @Skill(about('picky'))
    class PickySkill implements SkillHandler {
      async *run({ turn, text, state }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        if (turn === 1) {
          await state.set('dish', text);
          yield inputRequired('How many?');
          return;
        }
        yield artifact('order', `${text} × ${String(await state.get('dish'))}`);
      }
    }
    const { artifacts } = await runBoth(call('picky'), {
      text: 'soup',
      children: { picky: PickySkill },
      answers: ['2'],
    });
    expect(artifacts[0]?.parts).toEqual([{ text: '2 × soup' }]);
  });
});

describe('plain code in a flow', () => {
  it('keeps the result of a step over crashes, and waits without a slot (O-81)', async () => {
    let works = 0;
    const flow = sequential(
      step('rate', async () => {
        works += 1;
        return 1.25;
      }),
      sleep(86_400_000),
      say(({ rate }) => `rate ${String(rate)}`),
      call('use', { input: (state) => ({ rate: state.rate }) }),
    );
    const { output } = await runBoth(flow, { children: { use: (input) => ({ used: input }) } });
    expect(output).toEqual({ used: { rate: 1.25 } });
    expect(works).toBe(2);
  });

  it('is part of flows: an agent is a skill that other agents call, three levels deep (O-20, SEED-50)', async () => {
    @Agent(about('leaf'))
    class LeafAgent extends FlowAgent {
      readonly flow = sequential(call('echo'), say('leaf'));
    }
    @Agent({ ...about('middle'), agents: ['leaf'] })
    class MiddleAgent implements SkillHandler {
      async *run({ call: make, text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        yield artifact('middle', `(${(await make('leaf', text)).text})`);
      }
    }
    const echo = (input: unknown) => (input as { text: string }[])[0]?.text ?? '';
    const { artifacts } = await runBoth(call('middle'), {
      text: 'hi',
      children: { middle: MiddleAgent, leaf: LeafAgent, echo },
    });
    expect(artifacts[0]?.parts).toEqual([{ text: '(hi)' }]);
  });

  it('ends as a skill ends: rejected, and failures with their reason (O-33)', async () => {
    @Skill(about('picky'))
    class PickySkill implements SkillHandler {
      async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        if (text === 'fail') throw new SkillFailure('no');
        yield rejected('not this');
      }
    }
    const outcomes = await Promise.all(
      ['fail', 'reject'].map((text) => run(call('picky'), { text, children: { picky: PickySkill } })),
    );
    expect(outcomes.map(({ text }) => text)).toEqual([
      'The call of "picky" has no result: no',
      'The call of "picky" has no result: not this',
    ]);
    expect(await run(sequential(call('gone')))).toMatchObject({ text: expect.stringContaining('no child "gone"') });
  });
});

describe('work that is undone when the flow fails', () => {
  const flow = sequential<{ order: { id: number }; paid: number }>(
    step('order', () => Promise.resolve({ id: 7 }), { undo: call('cancel_order', { input: from.state('order') }) }),
    call('pay', { as: 'paid', input: from.state('order'), undo: call('refund') }),
    parallel({
      one: call('mail', { input: from.state('order'), undo: call('unmail', { input: () => 'one' }) }),
      two: call('mail', { input: from.state('order'), undo: call('unmail') }),
    }),
    end.failed(({ paid }) => `${String(paid)} was too much.`),
  );
  const children = {
    pay: () => ({ amount: 5 }),
    mail: () => 'sent',
    cancel_order: () => 'canceled',
    refund: () => 'refunded',
    unmail: () => 'unsent',
  };

  it('is undone once each, newest first, with the input that was stored, over crashes too (O-31)', async () => {
    const { state, undone, notUndone } = await runBoth(flow, { children });
    expect(state).toBe('failed');
    expect(undone.map(({ skillId, input }) => [skillId, input])).toEqual([
      ['unmail', 'sent'],
      ['unmail', 'one'],
      ['refund', [{ data: { amount: 5 } }]],
      ['cancel_order', { id: 7 }],
    ]);
    expect(notUndone).toEqual([]);
  });

  it('continues with the next when one cannot be undone', async () => {
    const run = await runBoth(flow, { children: { ...children, refund: fails } });
    expect(run.notUndone.map(({ key }) => key)).toEqual(['undo paid']);
    expect(run.undone.map(({ key }) => key)).toEqual(['undo parallel/two', 'undo parallel/one', 'undo order']);
  });

  it('stays when the flow completes or rejects', async () => {
    const first = step('order', () => Promise.resolve(1), { undo: call('cancel_order') });
    expect(await run(sequential(first), { children })).toMatchObject({ state: 'completed', undone: [] });
    expect(await run(sequential(first, end.rejected('no')), { children })).toMatchObject({ undone: [] });
  });
});

describe(transfer.name, () => {
  const children = { flights: () => ({ seat: '7a' }), refund: () => 'done' };

  it('hands the message over, and continues with the result (SEED-51)', async () => {
    const flow = sequential<{ trip: { seat: string } }>(
      transfer('flights', { as: 'trip' }),
      result('reply', ({ trip }) => `seat ${trip.seat}`),
    );
    const { calls, artifacts } = await runBoth(flow, { text: 'to Lisbon', children });
    expect(calls[0]).toMatchObject({ skillId: 'flights', input: [{ text: 'to Lisbon' }], isTransfer: true });
    expect(artifacts[0]?.parts).toEqual([{ text: 'seat 7a' }]);
  });

  it('can leave the last word to the other agent, as the target of a route (SEED-51)', async () => {
    const flow = sequential(
      route(() => 'fly', { fly: transfer('flights', { after: 'stay' }), refund: call('refund') }),
      call('refund'),
    );
    const { state, output, calls } = await runBoth(flow, { text: 'x', children });
    expect({ state, output }).toEqual({ state: 'completed', output: { seat: '7a' } });
    expect(calls).toHaveLength(1);
  });

  it('is refused as a loop when agents hand the same input to each other (SEED-52)', async () => {
    const agent = (id: string, other: string): SkillHandler => {
      @Agent(about(id))
      class PingPongAgent extends FlowAgent {
        readonly flow = transfer(other);
      }
      return new PingPongAgent();
    };
    const agents = { ping: agent('ping', 'pong'), pong: agent('pong', 'ping') };
    const { state, text } = await runFlow(agents.ping, { text: 'x', children: agents, crashAfter: 'each' });
    expect({ state, text }).toEqual({ state: 'failed', text: expect.stringContaining('transfer loop ping→pong→ping') });
  });
});

describe('shared values in a flow (O-50)', () => {
  it('are read and written by steps, once, over crashes, and reach called skills and come back from them', async () => {
    @Skill(about('count'))
    class CountSkill implements SkillHandler {
      async *run({ shared: own }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        await own().set('count', Number(await own().get('count')) + 1);
        yield artifact('done', 'counted');
      }
    }
    const flow = sequential<{ count: number; total: number; said: string; missing?: string }>(
      shared.get('count', { otherwise: 4 }),
      shared.set('count', ({ count }) => count * 10),
      shared.set('said', from.message(), { scope: 'temp' }),
      call('count'),
      shared.get('count', { as: 'total' }),
      shared.get('said', { scope: 'temp' }),
      shared.get('missing'),
      result('sum', ({ total, said, missing }) => [said, total, missing ?? 'none'].join(' ')),
    );
    const { artifacts } = await runBoth(flow, { text: 'sum', children: { count: new CountSkill() } });
    expect(artifacts[0]?.parts).toEqual([{ text: 'sum 41 none' }]);
  });
});
