import { describe, expect, it } from '@jest/globals';
import { IsNumber, IsString } from 'class-validator';
import { Agent, FlowAgent } from '../agent/agent.js';
import { result, sequential } from '../agent/flow/sequence.js';
import type { Step } from '../agent/step.js';
import { completed } from '../skill/events.js';
import { Skill, type SkillClass, type SkillHandler, skillOptionsOf } from '../skill/skill.js';
import { catalogOf, startFaults } from '../skill/start-check.js';
import { runFlow } from '../testing/run-flow.js';
import { coordinator, type CoordinatorOptions } from './coordinator.js';
import { Model } from './model.js';
import { RulesModel } from './rules/rules.model.js';
import { scripted } from './scripted/scripted.model.js';
import { ModelTools } from './model-tools.js';
import { agentTool, functionTool } from './tool.js';

class Total {
  @IsNumber()
  readonly total!: number;
}

function skill(id: string, more: object = {}): SkillClass {
  @Skill({ id, name: id, description: `Does ${id} for travellers.`, tags: ['travel'], ...more })
  class OneSkill implements SkillHandler {
    async *run() {
      yield completed(id);
    }
  }
  return OneSkill;
}

class SeatInput {
  @IsString()
  readonly row!: string;
}

const SKILLS = [
  skill('find_flight', { examples: ['A flight to Lisbon'] }),
  skill('reserve_seat', { input: SeatInput, inputModes: ['application/json'] }),
  skill('pay_seat', { effects: 'irreversible' }),
  skill('quick', { direct: true }),
];
const skills = ModelTools.of(...SKILLS);

function desk(options: Partial<CoordinatorOptions>, then?: Step): SkillHandler {
  const usual = {
    instruction: 'You are a travel desk.',
    model: new Model(scripted()),
    skills,
    tools: [agentTool('find_flight')],
  };
  const step = coordinator({ ...usual, ...options });
  @Agent({ id: 'desk', name: 'Desk', description: 'Answers travellers.', tags: ['travel'] })
  class DeskAgent extends FlowAgent {
    readonly flow = then === undefined ? step : sequential(step, then);
  }
  return new DeskAgent();
}

const faultsOf = (agent: SkillHandler): readonly string[] => {
  const catalog = SKILLS.flatMap((one) => skillOptionsOf(one) ?? []);
  return startFaults(agent.constructor as SkillClass, agent, catalogOf(catalog));
};

describe(coordinator.name, () => {
  it('calls the skill that the model chooses, asks it once for each entry of the journal, and streams its answer (O-24, O-31, F16)', async () => {
    const model = scripted(
      { tools: { find_flight: { text: 'to Lisbon' }, reserve_seat: { row: '7' } } },
      { tools: { weather: { city: 'Lisbon' } } },
      'Seat 7, and it rains.',
    );
    let worked = 0;
    const weather = functionTool({ name: 'weather', description: 'Tells the weather.', parameters: {} }, async () => {
      worked += 1;
      return 'rain';
    });
    const agent = desk({
      model: new Model(model),
      tools: [agentTool('find_flight'), agentTool('reserve_seat'), weather],
    });
    const children = { find_flight: () => 'TP 572', reserve_seat: () => ({ seat: '7a' }) };
    const run = await runFlow(agent, { text: 'To Lisbon', children, crashAfter: 'each' });
    expect(run.state).toBe('completed');
    expect(run.artifacts.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''))).toEqual([
      'Seat 7, and it rains.',
    ]);
    expect({ asked: model.requests.length, worked }).toEqual({ asked: 3, worked: 1 });
    expect(run.calls.map(({ skillId, input }) => [skillId, input])).toEqual([
      ['find_flight', 'to Lisbon'],
      ['reserve_seat', { row: '7' }],
    ]);
    expect(model.requests[0]?.tools?.map(({ description }) => description)).toEqual([
      'Does find_flight for travellers.',
      'Does reserve_seat for travellers.',
      'Tells the weather.',
    ]);
    expect(model.requests[1]?.messages.slice(-2).map(({ text }) => text)).toEqual(['TP 572', '{"seat":"7a"}']);
  });

  it.each([
    ['the caller approves a call that cannot be undone', agentTool('pay_seat'), ['approve'], 1, 'paid'],
    ['a refusal goes back to the model', agentTool('pay_seat'), ['reject'], 0, /not approved/],
    ['unless the author says otherwise', agentTool('pay_seat', { approval: false }), [], 1, 'paid'],
  ])('%s (O-32)', async (_what, tool, answers, calls, said) => {
    const model = scripted({ tools: { pay_seat: { text: '7a' } } }, ({ messages }) => messages.at(-1)?.text ?? '');
    const agent = desk(
      { model: new Model(model), tools: [tool], as: 'answer' },
      result('reply', ({ answer }) => String(answer)),
    );
    const run = await runFlow(agent, { text: 'Pay', children: { pay_seat: () => 'paid' }, answers });
    expect(run.calls).toHaveLength(calls);
    const [part] = run.artifacts[0]?.parts ?? [];
    expect(part).toEqual({ text: expect.stringMatching(said) });
  });

  it('hands the conversation over with its files, and has the last word (O-22)', async () => {
    const model = scripted(
      { tools: { transfer_to_find_flight: { text: 'Lisbon' } } },
      ({ messages }) => `So: ${messages.at(-1)?.text}`,
    );
    const agent = desk({ model: new Model(model), tools: [], transfers: ['find_flight'] });
    const file = { raw: 'AA==', mediaType: 'application/pdf' };
    const run = await runFlow(agent, { text: 'x', parts: [file], children: { find_flight: () => 'TP 572' } });
    expect(run.calls[0]).toMatchObject({ isTransfer: true, input: [{ text: 'Lisbon' }, file] });
    expect(run.events.flatMap(({ parts }) => parts).map((part) => ('text' in part ? part.text : ''))).toEqual([
      'So: ',
      'TP ',
      '572',
    ]);
  });

  it('leaves the result to the other agent where that stays (O-22)', async () => {
    const model = scripted({ tools: { transfer_to_find_flight: {} } });
    const agent = desk(
      { model: new Model(model), tools: [], transfers: ['find_flight'], afterTransfer: 'stay' },
      result('never', () => 'x'),
    );
    const run = await runFlow(agent, { text: 'x', children: { find_flight: () => ({ flight: 'TP 572' }) } });
    expect(run).toMatchObject({ state: 'completed', output: { flight: 'TP 572' } });
  });

  it('gives an answer that does not fit its contract back to the model once, and then fails', async () => {
    const good = scripted('TP 572', '```json\n{"total": 90}\n```');
    expect(await runFlow(desk({ model: new Model(good), output: Total }), 'x')).toMatchObject({
      output: { total: 90 },
    });
    expect(good.requests[0]?.responseSchema).toMatchObject({ properties: { total: { type: 'number' } } });
    expect(good.requests[1]?.messages.at(-1)?.text).toContain('it is no JSON');
    const bad = scripted('{"total": "90"}', '{"total": "91"}');
    const run = await runFlow(desk({ model: new Model(bad), output: Total }), 'x');
    expect(run).toMatchObject({ state: 'failed', text: expect.stringContaining('answer.total must be number') });
  });

  it('works without a language model', async () => {
    const agent = desk({
      model: new Model(new RulesModel()),
      tools: [agentTool('find_flight'), agentTool('reserve_seat')],
    });
    const run = await runFlow(agent, {
      text: 'Is there a flight to Lisbon?',
      children: { find_flight: () => 'TP 572' },
    });
    expect(run.events.flatMap(({ parts }) => parts)).toEqual([{ text: 'TP 572' }]);
  });

  it('is checked when the service starts (O-32)', () => {
    expect(faultsOf(desk({ tools: [agentTool('pay_seat')] }))).toEqual([]);
    const wrong = desk({
      instruction: ' ',
      tools: [agentTool('find_flight'), agentTool('find_flight'), agentTool('quick'), agentTool('gone')],
      transfers: ['pay_seat'],
      maxModelCalls: 0,
    });
    expect(faultsOf(wrong).join('\n')).toMatch(
      /no instruction[^]*maxModelCalls is a whole number[^]*"quick" is direct[^]*no skill "gone"[^]*"pay_seat" cannot be undone[^]*"find_flight" twice/,
    );
    expect(faultsOf(desk({ tools: [] }))).toEqual([expect.stringContaining('neither tools nor transfers')]);
  });
});
