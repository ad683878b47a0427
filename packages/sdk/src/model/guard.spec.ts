import { describe, expect, it } from '@jest/globals';
import { call } from '../agent/flow/call-step.js';
import { parallel } from '../agent/flow/parallel.js';
import { sequential } from '../agent/flow/sequence.js';
import { remote } from '../skill/calls/remote.js';
import type { SkillInput } from '../testing/test-input.js';
import { runFlow } from '../testing/run-flow.js';
import { agent, type ModelAgent } from './agent.js';
import { tool } from './function-tool.js';
import { guard, type GuardOptions, verdict } from './guard.js';
import { llm } from './llm.js';
import type { ModelPort } from './model.port.js';
import { mcp } from './other-tools.js';
import { scripted } from './scripted/scripted.model.js';
import { handsTo, skill } from './skill-tool.js';

/** Counts its checks, by their places. */
function counting() {
  const counts: Record<string, number> = {};
  const counted = (place: string) => () => {
    counts[place] = (counts[place] ?? 0) + 1;
    return verdict.pass;
  };
  const places = ['beforeAgent', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'afterAgent'];
  const checks = Object.fromEntries(places.map((place) => [place, counted(place)])) as Omit<GuardOptions, 'name'>;
  return { counts, checks };
}

/** Calls its first tool once, and then answers with the result. */
const obeying = (given: object = { text: 'x' }): ModelPort => ({
  name: 'obeying',
  complete: ({ messages, tools: [first] = [] }) => {
    const isAsked = first !== undefined && messages.at(-1)?.role !== 'tool';
    const toolCalls = isAsked ? [{ id: '1', name: first.name, arguments: given }] : [];
    const text = isAsked ? 'Wait.' : `So: ${messages.at(-1)?.text ?? ''}`;
    return Promise.resolve({ text, toolCalls, usage: { input: 1, output: 1 }, finish: 'stop' });
  },
});

const answerOf = (run: Awaited<ReturnType<typeof runFlow>>): string =>
  run.artifacts.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))).join('');

const add = tool({ name: 'add', description: 'Adds.', run: async ({ text }) => `sum of ${String(text)}` });
const about = { id: 'guarded', description: 'Is guarded.', instruction: 'Answer.' };
const children = { other: () => 'done', 'remote:legal': () => 'done' };
const tools = { 'tickets/find': { text: 'done' } };

type Made = (checks: Omit<GuardOptions, 'name'>) => Parameters<typeof runFlow>[0];
const made =
  (more: Partial<ModelAgent<object>>): Made =>
  (checks) =>
    agent({ ...about, ...more, guards: [guard({ name: 'counts', ...checks })] });
const step = (checks: Omit<GuardOptions, 'name'>) =>
  llm({ instruction: 'Answer.', tools: [add], guards: [guard({ name: 'counts', ...checks })] });

const KINDS: readonly [string, Made, Partial<SkillInput>?][] = [
  ['a root that calls a function', made({ tools: [add] })],
  ['a call of a skill', made({ tools: [skill('other')] })],
  ['a hand-over', made({ agents: [handsTo('other')] })],
  ['an agent elsewhere', made({ tools: [skill(remote('legal'))] })],
  ['a tool of an MCP server', made({ tools: [mcp('tickets', 'find')] })],
  [
    'a child',
    (checks) => agent({ id: 'parent', description: 'Has one.', flow: call(made({ tools: [add] })(checks) as never) }),
  ],
  ['a branch', (checks) => agent({ id: 'b', description: 'B.', flow: parallel({ one: step(checks) }) })],
  ['a step', (checks) => agent({ id: 's', description: 'S.', flow: sequential(step(checks)) })],
  ['runs that are lost after each step', made({ tools: [add] }), { crashAfter: 'each' }],
];

describe(guard.name, () => {
  it.each(KINDS)(
    'checks each round, call and answer of %s before it goes on (LLM-36)',
    async (_what, make, input = {}) => {
      const { counts, checks } = counting();
      const run = await runFlow(make(checks), { text: 'x', children, tools, models: obeying(), ...input });
      expect(run.state).toBe('completed');
      const runs = input.crashAfter === undefined ? 1 : run.runs;
      // A repeated run makes the checks of the rounds that it repeats again: none is left out.
      expect(counts.beforeAgent).toBe(runs);
      const least = { beforeModel: 2, afterModel: 2, beforeTool: 1, afterTool: 1, afterAgent: 1 };
      for (const [place, count] of Object.entries(least)) {
        if (runs === 1) expect([place, counts[place]]).toEqual([place, count]);
        else expect(counts[place]).toBeGreaterThanOrEqual(count);
      }
    },
  );

  it('refuses before the model is asked, before a tool runs, and before a text is sent (LLM-36, LLM-39)', async () => {
    const refusing = (place: string) => ({ [place]: () => verdict.refuse(`no ${place}`) });
    for (const place of ['beforeAgent', 'beforeModel']) {
      const run = await runFlow(made({})(refusing(place)), { text: 'x', models: obeying() });
      expect(run).toMatchObject({ state: 'failed', text: `no ${place}`, rounds: [], events: [] });
    }
    for (const place of ['afterModel', 'afterAgent']) {
      const run = await runFlow(made({})(refusing(place)), { text: 'x', models: scripted('A secret text.') });
      expect(run).toMatchObject({ state: 'failed', text: `no ${place}`, events: [] });
    }
    let worked = 0;
    const counted = tool({ ...{ name: 'counted', description: 'Counts.' }, run: async () => String((worked += 1)) });
    const run = await runFlow(made({ tools: [counted] })(refusing('beforeTool')), { text: 'x', models: obeying() });
    expect(worked).toBe(0);
    expect(answerOf(run)).toBe('So: The tool was not allowed: no beforeTool');
  });

  it('goes on with another value where it masks one, and with none where that is empty (LLM-36)', async () => {
    const checks: Omit<GuardOptions, 'name'> = {
      beforeModel: (messages) =>
        verdict.mask(messages.map((one) => ({ ...one, text: one.text.replace('4711', '***') }))),
      beforeTool: (one) => verdict.mask({ ...one, arguments: { text: 'less' } }),
      afterTool: (one) => verdict.mask({ ...one, text: `${one.text}!` }),
      afterAgent: (text) => verdict.mask(text.replace('So', 'Then')),
    };
    const run = await runFlow(made({ tools: [add] })(checks), { text: 'My pin is 4711', models: obeying() });
    expect(answerOf(run)).toBe('Then: sum of less!');
    expect(JSON.stringify(run.rounds)).not.toContain('4711');
    const empty = await runFlow(made({})({ afterAgent: () => verdict.mask('') }), { text: 'x', models: obeying() });
    expect(empty).toMatchObject({ state: 'completed', artifacts: [] });
  });

  it('refuses when it fails, unless it may pass (LLM-36)', async () => {
    const broken = (): never => {
      throw new Error('broken');
    };
    const closed = await runFlow(made({})({ beforeModel: broken }), { text: 'x', models: obeying() });
    expect(closed).toMatchObject({ state: 'failed', text: 'A check of this request has failed.' });
    const open = await runFlow(made({})({ beforeModel: broken, onFault: 'pass' }), { text: 'x', models: obeying() });
    expect(open.state).toBe('completed');
  });

  it('asks the caller, and decides alike in a repeated run where it asks a service (LLM-36)', async () => {
    let judged = 0;
    const checks: Omit<GuardOptions, 'name'> = {
      isStep: true,
      beforeTool: async () => {
        judged += 1;
        return verdict.ask('May it add?');
      },
    };
    const input = { text: 'x', models: obeying(), crashAfter: 'each' as const };
    const yes = await runFlow(made({ tools: [add] })(checks), { ...input, answers: ['approve'] });
    expect(answerOf(yes)).toBe('So: sum of x');
    expect(judged).toBe(1);
    const no = await runFlow(made({ tools: [add] })(checks), { ...input, answers: ['reject'] });
    expect(answerOf(no)).toContain('The tool was not allowed: It was not approved.');
  });
});
