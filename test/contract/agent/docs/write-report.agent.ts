import { Agent } from '@parley/sdk/agent';
import { artifact, type SkillContext, type SkillEvent, type SkillHandler, working } from '@parley/sdk';

/** A coordinator in plain code: it decides, its agents work. */
@Agent({
  id: 'write_report',
  name: 'Write a report',
  description: 'Researches each question of a text, and writes one report of the findings.',
  tags: ['text', 'agent'],
  agents: ['research', 'write_up'],
})
export class WriteReportAgent implements SkillHandler {
  async *run({ text, call, map }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const questions = text.split('\n').filter((line) => line.trim().endsWith('?'));
    const { done, failed } = await map(questions, (question) => call('research', question), { onFailure: 'collect' });
    yield working(`${String(done.length)} of ${String(questions.length)} questions have an answer.`);
    const report = await call('write_up', { findings: done.map((finding) => finding.text), gaps: failed.length });
    yield artifact('report', report.text, { name: 'Report' });
  }
}
