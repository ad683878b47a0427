import { Model } from '@parley/sdk/model';
import { completed, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

@Skill({
  id: 'headline',
  name: 'Headline',
  description: 'Writes a headline for a text.',
  tags: ['text'],
})
export class HeadlineSkill implements SkillHandler {
  constructor(private readonly model: Model) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { text } = await this.model.ask(context, {
      messages: [
        { role: 'system', text: 'Write a headline of at most eight words.' },
        { role: 'user', text: context.text },
      ],
      maxTokens: 40,
    });
    yield completed(text);
  }
}
