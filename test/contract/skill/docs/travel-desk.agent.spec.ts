import { describe, expect, it } from '@jest/globals';
import { Model, scripted, ModelTools } from '@parley/sdk/model';
import { completed, Skill, type SkillHandler } from '@parley/sdk';
import { runFlow } from '@parley/sdk/testing';
import { TravelDeskAgent } from './travel-desk.agent.js';

function skill(id: string): new () => SkillHandler {
  @Skill({ id, name: id, description: `Does ${id}.`, tags: ['travel'] })
  class OneSkill implements SkillHandler {
    async *run() {
      yield completed(id);
    }
  }
  return OneSkill;
}

describe(TravelDeskAgent.name, () => {
  it('finds a flight, then reserves a seat, and answers by its contract, wherever the process crashes (O-24)', async () => {
    const model = scripted(
      { tools: { find_flight: { text: 'to Lisbon' } } },
      { tools: { reserve_seat: { text: 'TP 572' } } },
      '{"flight": "TP 572", "seat": "7a"}',
    );
    const skills = ModelTools.of(skill('find_flight'), skill('reserve_seat'), skill('complaints'));
    const children = { find_flight: () => 'TP 572', reserve_seat: () => '7a' };
    const agent = new TravelDeskAgent(new Model(model), skills);
    const { output, calls } = await runFlow(agent, { text: 'To Lisbon', children, crashAfter: 'each' });
    expect(output).toEqual({ flight: 'TP 572', seat: '7a' });
    expect(calls.map(({ skillId }) => skillId)).toEqual(['find_flight', 'reserve_seat']);
    expect(model.requests).toHaveLength(3);
  });
});
