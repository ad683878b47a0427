import { Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';
import { agent, allSkills, converse, Model } from '@parley/sdk/model';

const CARD = {
  id: 'concierge',
  name: 'Concierge',
  description: 'Takes any request in plain words and passes it to the skill that fits.',
  tags: ['routing'],
  examples: ['What can you do?'],
};
const INSTRUCTION =
  'You are the front door of an agent. Answer by calling the tool that does what the user asks, with the complete text of the user. ' +
  'Give back what the tool says without adding to it. If no tool fits, say which requests you can take.';
const TOOLS = [allSkills({ except: ['concierge'], handOver: true })];

/** Ends the conversations that an older release has handed over. */
@Skill(CARD)
class FirstConcierge implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield* converse(context, this.model, { instruction: INSTRUCTION, tools: TOOLS });
  }
}

/**
 * Finds the skill that a message asks for, and hands the conversation over to it: the next messages go to that skill until it
 * ends. Its result is the answer.
 */
export const Concierge = agent({
  ...CARD,
  ...{ version: 1, previous: [FirstConcierge], instruction: INSTRUCTION, tools: TOOLS },
  history: { of: 'all' },
});
