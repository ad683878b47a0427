import { describe, expect, it } from '@jest/globals';
import { CallFailed } from '../skill/calls/call.js';
import { resultOf } from '../skill/event-result.js';
import type { SkillEvent } from '../skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill/skill.js';
import { runSkill } from '../testing/run-skill.js';
import type { SkillInput } from '../testing/test-input.js';
import { converse } from './converse.js';
import { Model } from './model.js';
import { RulesModel } from './rules/rules.model.js';
import { scripted, type ScriptedModel } from './scripted/scripted.model.js';
import { tool } from './function-tool.js';
import { skill } from './skill-tool.js';
import type { ModelPort } from './model.port.js';

const worked: unknown[] = [];
const TOOLS = [
  tool({
    ...{ name: 'add', description: 'Adds two numbers', input: { type: 'object' } },
    run: async ({ one, two }) => {
      worked.push([one, two]);
      return { sum: Number(one) + Number(two) };
    },
  }),
  skill('summarize', { description: 'Shortens a text: summarize this article' }),
];

@Skill({ id: 'front', name: 'Front', description: 'For tests', tags: [] })
class FrontSkill implements SkillHandler {
  constructor(private readonly model: ModelPort) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield* converse(context, new Model(this.model), { instruction: 'Use tools.', tools: TOOLS, limits: { rounds: 4 } });
  }
}

/** The text of the answer: its pieces, from where it was begun last. */
const textOf = (events: readonly SkillEvent[]): string =>
  resultOf(events)
    .artifacts.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
    .join('');

async function said(model: ModelPort, input: Partial<SkillInput> = {}): Promise<string> {
  return textOf(await runSkill(new FrontSkill(model), { text: 'What is 1 + 2?', ...input }));
}

const children = { summarize: (text: unknown) => `short: ${String(text)}` };

describe(converse.name, () => {
  it('runs the tools that the model calls, and gives it their results', async () => {
    const model = scripted({ tools: { add: { one: 1, two: 2 }, summarize: { text: 'long' } } }, 'It is 3.');
    expect(await said(model, { children })).toBe('It is 3.');
    expect(model.requests[0]?.messages).toEqual([
      { role: 'system', text: 'Use tools.' },
      { role: 'user', text: 'What is 1 + 2?' },
    ]);
    expect(model.requests[1]?.messages.slice(3)).toEqual([
      { role: 'tool', callId: 'call-1', name: 'add', text: '{"sum":3}' },
      { role: 'tool', callId: 'call-2', name: 'summarize', text: 'short: long' },
    ]);
  });

  it('continues over a deploy with another instruction and other tools (F1, LLM-03)', async () => {
    let deploys = 0;
    const model = scripted({ tools: { summarize: { text: 'long' } } }, 'Done.');
    @Skill({ id: 'deployed', name: 'Deployed', description: 'For tests', tags: [] })
    class DeployedSkill implements SkillHandler {
      async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        deploys += 1;
        const tools = [...TOOLS, skill(`new_${String(deploys)}`, { description: 'A new skill' })];
        yield* converse(context, new Model(model), { instruction: `Version ${String(deploys)}`, tools });
      }
    }
    const events = await runSkill(new DeployedSkill(), { text: 'Shorten it', children, crashAfter: 'each' });
    expect(textOf(events)).toBe('Done.');
    expect(deploys).toBeGreaterThan(1);
    expect(model.requests).toHaveLength(2);
  });

  it('asks the model once for each entry of the journal, and runs each tool once, wherever the process crashes (F16)', async () => {
    worked.length = 0;
    const model = scripted(
      { tools: { add: { one: 1, two: 2 } } },
      { tools: { summarize: { text: 'a' } } },
      { tools: { add: { one: 3, two: 4 } } },
      'Done.',
    );
    expect(await said(model, { children, crashAfter: 'each' })).toBe('Done.');
    expect(model.requests).toHaveLength(4);
    expect(worked).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it.each<[string, ScriptedModel, string]>([
    ['a tool that there is not', scripted({ tools: { fly: {} } }, 'Sorry.'), 'There is no tool "fly".'],
    ['arguments that are no object', scripted({ tools: { add: 'x' } }, 'Sorry.'), 'must be a JSON object'],
  ])('reports %s to the model', async (_what, model, text) => {
    expect(await said(model)).toBe('Sorry.');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ text: expect.stringContaining(text) });
  });

  it('reports to the model why a skill has no result, and gives up on endless mistakes', async () => {
    const broken = {
      summarize: () => {
        throw new CallFailed('summarize', 'schema', 'text must be a string');
      },
    };
    const wrong = { tools: { summarize: {} } };
    const model = scripted(wrong, wrong, wrong, 'Sorry.');
    await expect(said(model, { children: broken })).rejects.toThrow(
      'The model calls its tools wrongly, again and again.',
    );
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('text must be a string'),
    });
  });

  it('ends a model that never answers', async () => {
    const add = { tools: { add: { one: 1, two: 1 } } };
    await expect(said(scripted(add, add, add, add, add))).rejects.toThrow('The model has no answer after 4 calls.');
  });

  it('finds a tool by rules where there is no model', async () => {
    expect(await said(new RulesModel(), { text: 'Please summarize: long text', children })).toBe(
      'short: Please summarize: long text',
    );
    expect(await said(new RulesModel(), { text: 'Bake a cake' })).toContain('No language model is configured');
  });
});
