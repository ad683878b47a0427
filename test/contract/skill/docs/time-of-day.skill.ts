import { completed, type SkillEvent } from '../../../../src/skill/events.js';
import { Skill, type SkillHandler } from '../../../../src/skill/skill.js';

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
