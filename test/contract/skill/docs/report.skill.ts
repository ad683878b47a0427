import { artifact, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

@Skill({
  id: 'report',
  name: 'Report',
  description: 'Summarizes a file.',
  tags: ['files'],
  tools: { files: ['read_text_file'] }, // server: tools; others cannot be called
})
export class ReportSkill implements SkillHandler {
  async *run({ text, tools }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const file = await tools.call('files', 'read_text_file', { path: text });
    yield artifact('report', file.isError ? `Cannot be read: ${file.text}` : file.text.slice(0, 1000));
  }
}
