import { completed, Skill, type SkillEvent, type SkillHandler } from '@parley/sdk';

/** Tells the time, at once and without a task. */
@Skill({
  id: 'time_of_day',
  name: 'Time of day',
  description: 'Tells the time (UTC).',
  tags: ['time'],
  direct: true,
})
export class TimeOfDaySkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield completed(new Date().toISOString());
  }
}
