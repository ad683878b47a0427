import { artifact, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';
import { readText } from '../sentence.js';
import { reviewOf } from './review.js';
import { ReviewDto, ReviewSummaryInput } from './review.dto.js';

/** Judges a summary by rules; no language model is asked. */
@Skill({
  id: 'review_summary',
  name: 'Review a summary',
  description:
    'Judges an English summary against its text: its length, whether it has the key terms of the text, and sentences that refer to one that is missing.',
  tags: ['text', 'summary', 'review', 'english'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
  input: ReviewSummaryInput,
  output: ReviewDto,
  effects: 'none',
})
export class ReviewSummarySkill implements SkillHandler {
  async *run({ input, signal }: SkillContext<ReviewSummaryInput>): AsyncGenerator<SkillEvent, void, void> {
    const text = await readText(input.text, signal);
    const summary = await readText(input.summary, signal);
    yield artifact('review', [{ data: reviewOf(text, summary, input) }], { name: 'Review' });
  }
}
