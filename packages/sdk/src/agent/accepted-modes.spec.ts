import { describe, expect, it } from '@jest/globals';
import { artifact, type SkillEvent } from '../skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill/skill.js';
import { runFlow } from '../testing/run-flow.js';
import { Agent, FlowAgent } from './agent.js';
import { call } from './flow/call-step.js';
import { sequential, when } from './flow/sequence.js';

const card = { tags: ['test'], outputModes: ['application/json', 'text/plain'] };

/** Answers in JSON, unless it is asked for text alone. */
@Skill({ ...card, id: 'count', name: 'Count', description: 'Counts' })
class CountSkill implements SkillHandler {
  async *run({ acceptedOutputModes }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const isText = acceptedOutputModes.length > 0 && !acceptedOutputModes.includes('application/json');
    yield artifact('count', isText ? 'three' : [{ data: { count: 3 } }]);
  }
}

@Agent({ ...card, id: 'counting', name: 'Counting', description: 'Has it counted' })
class CountingAgent extends FlowAgent {
  readonly flow = sequential(
    call('count', { as: 'inner' }),
    when(() => true, sequential(call('count'), call('count'))),
  );
}

describe('the media types of a flow', () => {
  it.each([
    [['text/plain'], { text: 'three' }],
    [[], { data: { count: 3 } }],
  ])('that a caller takes are asked of its last step, and of no inner one: %j (O-69)', async (modes, part) => {
    const run = await runFlow(new CountingAgent(), { acceptedOutputModes: modes, children: { count: CountSkill } });
    expect(run.artifacts[0]?.parts).toEqual([part]);
    expect(run.calls.map(({ accepts = [] }) => accepts)).toEqual([[], [], modes]);
  });
});
