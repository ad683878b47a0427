import { artifact, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';
import { merged } from './merge.js';
import { MergedDto, MergeSummariesInput } from './merge.dto.js';

/** A megabyte of summaries takes some seconds. */
const MAX_MS = 60_000;

/** Makes one list of the sentences of several summaries. */
@Skill({
  id: 'merge_summaries',
  name: 'Merge summaries',
  description:
    'Makes one list of points of several English summaries: drops sentences that say the same, keeps the order of the sources, and says which sources say what.',
  tags: ['text', 'summary', 'english'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
  input: MergeSummariesInput,
  output: MergedDto,
  effects: 'none',
  timeoutMs: MAX_MS,
})
export class MergeSummariesSkill implements SkillHandler {
  async *run({ input, signal }: SkillContext<MergeSummariesInput>): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('merged', [{ data: await merged(input.parts, signal) }], { name: 'Merged summaries' });
  }
}
