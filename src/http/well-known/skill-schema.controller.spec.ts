import { describe, expect, it } from '@jest/globals';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { EchoSkill } from '../../../skills/echo/echo.skill.js';
import { SummarizeTextSkill } from '../../../skills/summarize/summarize-text.skill.js';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { SkillSchemaController } from './skill-schema.controller.js';

const registered = [EchoSkill, SummarizeTextSkill].flatMap((skill) => {
  const options = skillOptionsOf(skill);
  return options === undefined ? [] : [{ options, handler: new skill() }];
});
const controller = new SkillSchemaController(new SkillRegistry(registered));

describe(SkillSchemaController.name, () => {
  it('shows the input contract of a skill', () => {
    expect(controller.schema('summarize_text')).toMatchObject({
      id: 'summarize_text',
      input: { properties: { length: { enum: ['short', 'medium', 'long'], default: 'medium' } } },
    });
  });

  it('shows only the id of a skill without a contract', () => {
    expect(controller.schema('echo')).toEqual({ id: 'echo' });
  });

  it('answers 404 for an unknown skill', () => {
    expect(() => controller.schema('nope')).toThrow('There is no such skill');
  });
});
