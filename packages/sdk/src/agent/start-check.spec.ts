import { describe, expect, it } from '@jest/globals';
import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import type { SkillEvent } from '../skill/events.js';
import { Skill, type SkillHandler, skillOptionsOf, type SkillOptions } from '../skill/skill.js';
import { SkillModule } from '../../../../src/skill/skill.module.js';
import { catalogOf, startFaults } from '../skill/start-check.js';
import { Agent, type AgentOptions, FlowAgent } from './agent.js';
import { call } from './flow/call-step.js';
import { graph } from './flow/graph.js';
import { inline } from './flow/inline.js';
import { critic, loop } from './flow/loop.js';
import { map, parallel } from './flow/parallel.js';
import { compute, end, exit, route, say, sequential, sleep, step, when } from './flow/sequence.js';
import { shared } from './flow/shared.js';
import { from } from './source.js';
import type { AnyStep } from './step.js';

class Summary {
  @IsString()
  summary!: string;

  @IsInt()
  sentences!: number;

  @IsOptional()
  @IsString()
  language?: string;
}

class ToReview {
  @IsString()
  text!: string;

  @IsOptional()
  @IsString()
  language?: string;

  @IsIn(['short', 'long'])
  length = 'short';
}

class Nested {
  @IsString()
  title!: string;
}

const about = (id: string): SkillOptions => ({ id, name: id, description: `About ${id}`, tags: [] });
const json = ['application/json'];
const CATALOG: readonly SkillOptions[] = [
  about('echo'),
  { ...about('summarize'), output: Summary, outputModes: json },
  { ...about('review'), input: ToReview, output: Summary, outputModes: json },
  { ...about('title'), input: Nested },
  { ...about('pay'), effects: 'irreversible' },
  { ...about('mute'), description: ' ' },
  { ...about('changed'), version: 2 },
];

/** Faults of an agent that has this flow. */
function faultsOf(flow: AnyStep, options: Partial<AgentOptions> = {}): readonly string[] {
  const steps = flow;
  @Agent({ ...about('tested'), ...options })
  class TestedAgent extends FlowAgent {
    readonly flow = steps;
  }
  const own = skillOptionsOf(TestedAgent);
  return startFaults(TestedAgent, new TestedAgent(), catalogOf(own === undefined ? CATALOG : [...CATALOG, own]));
}

const summarized = call('summarize', { as: 'summary' });

describe('a flow when the service starts', () => {
  it('fits: sources, constants, optional fields, functions, texts (O-09)', () => {
    const flow = sequential(
      summarized,
      say('summarized'),
      sleep(1),
      call('review', {
        input: { text: from.state('summary', 'summary'), language: from.state('summary', 'language'), length: 'long' },
      }),
      call('title', { input: () => ({ title: 'x' }) }),
      step('work', async () => 1),
      compute('end', () => 2),
      call('echo', { input: from.message() }),
      end.completed('done'),
    );
    expect(faultsOf(flow)).toEqual([]);
  });

  it('stops the start for a renamed field, and names both sides (O-09)', async () => {
    const flow = sequential(summarized, call('review', { input: { text: from.state('summary', 'text') } }));
    expect(faultsOf(flow)).toEqual([
      'step "review": the output of "summarize" has no field "text": it has "summary", "sentences", "language"',
    ]);
    @Skill({ ...about('summarize'), output: Summary, outputModes: json })
    class SummarizeSkill implements SkillHandler {
      async *run(): AsyncGenerator<SkillEvent, void, void> {
        // It is never run.
      }
    }
    @Agent(about('tested'))
    class TestedAgent extends FlowAgent {
      readonly flow = sequential(summarized, call('title', { input: from.state('summary') }));
    }
    const { Test } = await import('@nestjs/testing');
    const started = Test.createTestingModule({ imports: [SkillModule.forSkills([SummarizeSkill, TestedAgent])] });
    await expect(started.compile()).rejects.toMatchObject({
      name: 'CatalogError',
      message: 'The agent "tested" (TestedAgent) cannot be offered: step "title": there is no skill "title".',
    });
  });

  it.each<[string, AnyStep, string]>([
    ['a missing field', call('title', { input: { name: 'x' } }), '"name" is not a known field'],
    ['a field that is needed', call('title', { input: {} }), '"title" is needed, and not given'],
    ['a field of another type', call('title', { input: { title: 1 } }), '"title" is integer, and string is needed'],
    ['a value that is not allowed', call('review', { input: { text: 'x', length: 'huge' } }), 'may be "huge"'],
    [
      'a field that may be absent',
      sequential(summarized, call('title', { input: { title: from.state('summary', 'language') } })),
      '"title" is needed, and may be absent',
    ],
    [
      'a whole output',
      sequential(summarized, call('title')),
      'the output of "summarize" does not fit "title": "summary"',
    ],
    ['a text for fields', sequential(call('echo'), call('title')), '"title" is needed, and not given'],
    ['a value that no step leaves', call('title', { input: { title: from.state('nope') } }), 'leaves a value "nope"'],
    ['an item outside of a map', call('echo', { input: from.item() }), 'from.item() is for the steps of a map'],
    ['a skill that is not there', call('gone'), 'there is no skill "gone"'],
    [
      'the value of a step before the first (S14)',
      call('echo', { input: from.last() }),
      'from.last() has no step before it',
    ],
    [
      'the same in the first loop (S14)',
      loop({ body: call('echo', { input: { text: from.last() } }), until: () => true, maxIterations: 2 }),
      'from.last() has no step before it',
    ],
    ['a flow without steps', sequential(), 'it has no steps'],
    ['a skill with effects in the turn', inline('pay'), '"pay" has effects: call it'],
    ['a missing skill in the turn', inline('gone'), 'there is no skill "gone"'],
    ['input of a skill in the turn', inline('title', { input: {} }), '"title" is needed, and not given'],
    ['no name of a shared value', shared.get('a:b'), '"a:b" is no name of a shared value'],
    ['a shared value of no step', shared.set('a', from.state('nope')), 'leaves a value "nope"'],
    [
      'a shared value that may be absent',
      sequential(shared.get('title'), call('title', { input: { title: from.state('title') } })),
      '"title" is needed, and may be absent',
    ],
    ['a step after the end', sequential(end.failed('x'), call('echo')), 'step "echo" is never reached'],
    ['the names of the message', compute('input', () => 1), '"input" is the message\'s own'],
    ['retries of nothing', call('echo', { retry: { times: 0 } }), 'retry.times is a whole number above 0'],
    ['an undo by a skill that is not there', call('echo', { undo: call('gone') }), 'there is no skill "gone"'],
    ['an undo that does not fit the result', call('echo', { undo: call('title') }), '"title" is needed, and not given'],
    [
      'an undo that is more than a call',
      step('work', () => Promise.resolve(1), { undo: sequential(call('echo')) }),
      'its undo is a single call(…)',
    ],
    ['a negative wait', sleep(-1), 'a wait takes 0 ms or longer'],
  ])('refuses %s (O-08, O-09)', (_, flow, text) => {
    expect(faultsOf(sequential(flow)).join('\n')).toContain(text);
  });

  it('knows the values of every path: a value of one path only cannot be a whole input (O-09, O-51)', () => {
    const titled = call('title', { input: { title: from.state('name') } });
    const name = compute('name', () => 'x');
    expect(
      faultsOf(
        sequential(
          when(() => true, name),
          titled,
        ),
      ).join(),
    ).toContain('may be absent');
    expect(
      faultsOf(
        sequential(
          when(() => true, name, end.rejected('no')),
          titled,
        ),
      ),
    ).toEqual([]);
    expect(
      faultsOf(
        sequential(
          route(() => 'a', { a: name, b: name }),
          titled,
        ),
      ),
    ).toEqual([]);
    const whole = call('title', { input: from.state('name') });
    expect(
      faultsOf(
        sequential(
          when(() => true, name),
          whole,
        ),
      ).join(),
    ).toContain('not there on every way');
  });

  it('stops the start for a call that is written for another version (SEED-36)', () => {
    expect(faultsOf(call('changed', { version: 2 }))).toEqual([]);
    expect(faultsOf(call('changed', { version: 1 })).join()).toContain(
      '"changed" has version 2, and the call is written for version 1',
    );
  });

  it('checks the result against the output of the agent (O-09, O-20)', () => {
    const output = { output: Nested, outputModes: json };
    expect(faultsOf(summarized, output).join('\n')).toContain('does not fit the output of "tested": "title" is needed');
    expect(
      faultsOf(
        sequential(
          summarized,
          compute('own', () => 1),
        ),
        output,
      ),
    ).toEqual([]);
  });
});

describe("each point of seed 002's checklist stops the start (O-32)", () => {
  it.each<[string, AnyStep, Partial<AgentOptions>, string]>([
    ['descriptions: an agent without one', call('echo'), { description: '' }, 'it has no description'],
    ['descriptions: the same as another', call('echo'), { description: 'About echo' }, 'is also that of "echo"'],
    ['descriptions: too long', call('echo'), { description: 'x'.repeat(1_001) }, 'longer than 1000 characters'],
    ['descriptions: a called skill without one', call('mute'), {}, 'the skill "mute" has no description'],
    [
      'max_iterations',
      loop({ body: call('echo'), until: () => true, maxIterations: 0 }),
      {},
      'maxIterations is a whole',
    ],
    [
      'max_iterations of a critic',
      critic({ generate: call('echo'), review: call('echo'), accept: () => true, maxRounds: Number.NaN }),
      {},
      'maxIterations is a whole',
    ],
    [
      'max_iterations of a cycle',
      graph({ start: 'a', nodes: { a: call('echo') }, edges: { a: { to: ['a', 'end'], choose: () => 'end' } } }),
      {},
      '"a" is part of a cycle: give the graph maxVisits',
    ],
    [
      'key collisions of branches (O-51)',
      parallel({ a: call('echo', { as: 'k' }), b: call('echo', { as: 'k' }) }),
      {},
      'the branches "a" and "b" both write "k": declare a reducer for it',
    ],
    [
      'key collisions of items (O-51)',
      map({ over: from.value([1]), each: sequential(compute('k', () => 1)) }),
      {},
      'each item writes "k": declare a reducer for it',
    ],
    ['schema fit', sequential(summarized, call('title')), {}, 'does not fit "title"'],
    ['end conditions of a loop', loop({ body: call('echo'), maxIterations: 3 }), {}, 'it has no end condition'],
    ['end conditions: exit without a loop', exit(), {}, 'there is no loop to leave here'],
    [
      'end conditions of a graph (O-30)',
      graph({ start: 'a', nodes: { a: call('echo'), b: call('echo') }, edges: { a: 'b', b: 'a' }, maxVisits: 2 }),
      {},
      'no way leads from "a" to the end',
    ],
    [
      'nodes that are never reached (O-30)',
      graph({ start: 'a', nodes: { a: call('echo'), b: call('echo') }, edges: { a: 'end', b: 'end' } }),
      {},
      'no way leads to the node "b"',
    ],
    [
      'edges to nowhere (O-30)',
      graph({ start: 'a', nodes: { a: call('echo') }, edges: { a: 'c' } }),
      {},
      'leads to "c", which is no node',
    ],
    [
      'irreversible actions',
      call('pay'),
      {},
      '"pay" cannot be undone: say with "approved" or "approval" what approves it',
    ],
    ['limits of parallel work', parallel({ a: call('echo') }, { limit: 0 }), {}, 'its limit is a whole number above 0'],
    ['quorums', parallel({ a: call('echo') }, { onFailure: 'quorum', quorum: 2 }), {}, 'its quorum is a whole number'],
    ['ways', route(() => 'x', {}), {}, 'it has no targets'],
    ['branches', parallel({}), {}, 'it has no branches'],
  ])('%s', (_, flow, options, text) => {
    expect(faultsOf(flow, options).join('\n')).toContain(text);
  });

  it('passes an agent that meets the checklist', () => {
    const body = sequential(
      call('echo', { as: 'draft' }),
      when(() => true, exit()),
    );
    const flow = sequential(
      loop({ body, maxIterations: 3 }),
      parallel({ a: call('echo', { as: 'k' }), b: call('echo', { as: 'k' }) }, { reduce: { k: 'first' } }),
      map({ over: from.value(['a']), each: call('echo', { input: from.item() }) }),
      critic({
        generate: call('echo', { input: ({ review }) => String(review) }),
        review: call('review', { input: { text: from.state('draft') } }),
        accept: () => true,
        maxRounds: 2,
      }),
      graph({
        start: 'a',
        nodes: { a: call('echo'), b: call('echo') },
        edges: { a: 'b', b: { to: ['a', 'end'], choose: () => 'end' } },
        maxVisits: 2,
      }),
      call('pay', { approved: 'the caller has paid in advance' }),
    );
    expect(faultsOf(flow)).toEqual([]);
  });

  it('knows which values are there on every way to a node of a graph (O-30)', () => {
    const nodes = {
      draft: call('summarize', { as: 'draft' }),
      check: compute('verdict', () => 'bad'),
      publish: call('title', { input: { title: from.state('draft', 'summary') } }),
    };
    const check = { to: ['draft', 'publish'], choose: () => 'publish' } as const;
    const edges = { draft: 'check', check, publish: 'end' };
    expect(faultsOf(graph({ start: 'draft', nodes, edges, maxVisits: 2 }))).toEqual([]);
    expect(faultsOf(graph({ start: 'check', nodes, edges, maxVisits: 2 })).join()).toContain('may be absent');
  });

  it('names skills that an agent of plain code lists, and that are not there (O-20)', () => {
    @Agent({ ...about('coded'), agents: ['echo', 'nobody'] })
    class CodedAgent implements SkillHandler {
      async *run(): AsyncGenerator<SkillEvent, void, void> {
        // It is never run.
      }
    }
    expect(startFaults(CodedAgent, new CodedAgent(), catalogOf(CATALOG))).toEqual([
      'its list of agents has "nobody", and there is no such skill',
    ]);
  });
});
