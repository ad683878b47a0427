import { describe, expect, it } from '@jest/globals';
import { IsInt } from 'class-validator';
import { SKILL_SCHEMA_EXTENSION, skillSchemaExtension } from './skill-schema.js';

class Count {
  @IsInt()
  readonly count!: number;
}

const aSkill = { id: 'plain', name: 'Plain', description: 'Plain', tags: [] };

describe(skillSchemaExtension.name, () => {
  it('shows the schemas of the skills that declare one', () => {
    const extension = skillSchemaExtension([aSkill, { ...aSkill, id: 'count', output: Count }], 'http://a');
    expect(extension).toMatchObject({ uri: SKILL_SCHEMA_EXTENSION, required: false });
    expect(extension?.params).toEqual({
      skills: { count: { output: expect.objectContaining({ required: ['count'] }) } },
    });
  });

  it('is not declared when no skill has a contract', () => {
    expect(skillSchemaExtension([aSkill], 'http://a')).toBeUndefined();
  });
});
