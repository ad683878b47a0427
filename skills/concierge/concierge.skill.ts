import { converse, Model, ModelTools } from '@parley/sdk/model';
import { Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

const INSTRUCTION =
  'You are the front door of an agent. Answer by calling the tool that does what the user asks, with the complete text of the user. ' +
  'Give back what the tool says without adding to it. If no tool fits, say which requests you can take.';

/**
 * Finds the skill that a message asks for, and hands the conversation over to it: the next messages go to that skill until it
 * ends. Its result is the answer.
 */
@Skill({
  id: 'concierge',
  name: 'Concierge',
  description: 'Takes any request in plain words and passes it to the skill that fits.',
  tags: ['routing'],
  examples: ['What can you do?'],
})
export class ConciergeSkill implements SkillHandler {
  constructor(
    private readonly model: Model,
    private readonly tools: ModelTools,
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield* converse(context, this.model, { instruction: INSTRUCTION, tools: this.tools.transfersExcept('concierge') });
  }
}
