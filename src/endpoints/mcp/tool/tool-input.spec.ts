import { describe, expect, it } from '@jest/globals';
import { IsInt, IsOptional, IsString } from 'class-validator';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { skillTool } from './skill-tool.js';
import { argumentPath, toolContent, toolInputSchema } from './tool-input.js';

class Count {
  @IsInt()
  readonly count!: number;

  @IsOptional()
  @IsString()
  readonly text?: string;
}

class Bare {
  @IsInt()
  readonly count!: number;
}

const aSkill = (rest: Partial<SkillOptions> = {}): SkillOptions => ({
  ...{ id: 'count', name: 'Count', description: 'Counts.', tags: [], examples: ['Count to 3'] },
  ...rest,
});
const JSON_ONLY = { inputModes: ['application/json'] };

describe(toolInputSchema.name, () => {
  const membersOf = (skill: SkillOptions): unknown => {
    const { properties, required = [] } = toolInputSchema(skill);
    return [Object.keys(properties as object), required];
  };

  it('is the contract of a skill, or else follows its media types (MCP-SRV-2)', () => {
    expect(membersOf(aSkill())).toEqual([['text'], ['text']]);
    expect(membersOf(aSkill({ ...JSON_ONLY, input: Count }))).toEqual([['count', 'text'], ['count']]);
    expect(membersOf(aSkill({ inputModes: ['text/plain', 'application/json'], input: Bare }))).toEqual([
      ['text', 'count'],
      ['count'],
    ]);
    expect(membersOf(aSkill({ inputModes: ['text/plain', 'application/json', 'application/pdf'] }))).toEqual([
      ['text', 'data', 'files'],
      [],
    ]);
  });
});

describe(toolContent.name, () => {
  it('builds a data part from the contract, and parts of text and files', () => {
    const skill = aSkill({ inputModes: ['text/plain', 'application/json', 'application/pdf'], input: Bare });
    const files = [{ name: 'a.pdf', mediaType: 'application/pdf', bytes: 'AAAA' }, { uri: 'https://files.example/b' }];
    expect(toolContent(skill, { count: 1, text: 'please', files })).toEqual({
      parts: [
        { data: { count: 1 }, mediaType: 'application/json' },
        { text: 'please' },
        { raw: 'AAAA', filename: 'a.pdf', mediaType: 'application/pdf' },
        { url: 'https://files.example/b' },
      ],
    });
  });

  it('puts the contract of a skill that reads no JSON into the metadata', () => {
    expect(toolContent(aSkill({ input: Bare }), { count: 1, text: 'x' })).toEqual({
      parts: [{ text: 'x' }],
      metadata: { input: { count: 1 } },
    });
  });

  it.each([
    [{}, 'one of these is needed: text, data, files'],
    [{ text: 1 }, 'text: must be a string'],
    [{ data: 'x' }, 'data: must be an object'],
    [{ files: {} }, 'files: must be a list of at most 32 files'],
    [{ files: [{ bytes: 'AA==', uri: 'https://a' }] }, 'files[0]: must have either bytes or uri'],
    [{ other: 1 }, 'other: is not a known field'],
  ])('says what is wrong with %j', (args, fault) => {
    const skill = aSkill({ inputModes: ['text/plain', 'application/json', 'image/*'] });
    expect(toolContent(skill, args)).toEqual({ faults: [fault] });
  });

  it('names violations by their path in the arguments', () => {
    expect(argumentPath('message.parts[0].data.lines[1].amount')).toBe('lines[1].amount');
    expect(argumentPath('message.metadata.input.count')).toBe('count');
  });
});

describe(skillTool.name, () => {
  it('has the id, name and description of the skill (MCP-SRV-1)', () => {
    expect(skillTool(aSkill({ output: Bare }))).toMatchObject({
      ...{ name: 'count', title: 'Count', description: 'Counts. Examples: "Count to 3".' },
      outputSchema: { type: 'object', required: ['count'] },
    });
    expect(skillTool(aSkill())).not.toHaveProperty('annotations');
  });

  it.each([
    ['none', { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
    ['reversible', { readOnlyHint: false, destructiveHint: false }],
    ['irreversible', { readOnlyHint: false, destructiveHint: true }],
  ] as const)('hints at effects: %s (MCP-SRV-4)', (effects, hints) => {
    expect(skillTool(aSkill({ effects, reachesOut: true })).annotations).toEqual({ ...hints, openWorldHint: true });
  });
});
