import { artifact, Skill, type SkillContext, type SkillEvent, type SkillHandler, working } from '@parley/sdk';

@Skill({
  id: 'digest_sources',
  name: 'Digest of sources',
  description: 'Summarizes each line of a text, and reports the lines that failed.',
  tags: ['text'],
})
export class DigestSourcesSkill implements SkillHandler {
  async *run({ text, call, map }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const sources = text.split('\n');
    const { done, failed } = await map(sources, (source) => call('summarize', source), {
      limit: 4,
      onFailure: 'collect',
    });
    yield working(`${String(done.length)} of ${String(sources.length)} are summarized.`);
    const reasons = failed.map(({ message }) => message);
    yield artifact('digest', [...done.map((summary) => summary.text), ...reasons].join('\n'));
  }
}
