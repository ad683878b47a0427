import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsIn, IsNumber, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { Part } from '@parley/protocol/model/message.js';
import type { SkillOptions } from '../skill.js';
import { type InputCarrier, readInput } from './skill-input.js';

class Amount {
  @IsNumber()
  readonly value!: number;
}

class Payment {
  @ValidateNested({ each: true })
  @Type(() => Amount)
  readonly amounts!: Amount[];

  @IsIn(['EUR', 'USD'])
  readonly currency: string = 'EUR';
}

class Tone {
  @IsOptional()
  @IsIn(['kind', 'plain'])
  readonly tone: string = 'plain';
}

const aSkill = (input?: SkillOptions['input']): SkillOptions => ({
  ...{ id: 'pay', name: 'Pay', description: 'Pays', tags: [] },
  ...(input && { input }),
});

function carrying(parts: readonly Part[], rest: Partial<InputCarrier> & { inMessage?: object } = {}): InputCarrier {
  const { inMessage, metadata } = rest;
  const message = {
    messageId: 'm',
    role: 'ROLE_USER',
    parts,
    ...(inMessage && { metadata: { ...inMessage } }),
  } as const;
  return { message, ...(metadata && { metadata }) };
}

class Spoken {
  @IsString()
  readonly text!: string;

  @IsIn(['kind', 'plain'])
  readonly tone: string = 'plain';
}

describe(readInput.name, () => {
  it.each<[string, readonly Part[], object | undefined, unknown]>([
    ['alone', [{ text: 'a' }, { text: 'b' }], undefined, { text: 'a\nb', tone: 'plain' }],
    ['beside a data part', [{ text: 'a' }, { data: { tone: 'kind' } }], undefined, { text: 'a', tone: 'kind' }],
    ['beside metadata', [{ text: 'a' }], { tone: 'kind' }, { text: 'a', tone: 'kind' }],
    [
      'and not where the data has its own',
      [{ text: 'a' }, { data: { text: 'b' } }],
      undefined,
      { text: 'b', tone: 'plain' },
    ],
  ])('takes the text of the message for a required member "text": %s (S6)', async (_, parts, inMessage, value) => {
    const read = await readInput(aSkill(Spoken), carrying(parts, inMessage && { inMessage }));
    expect(read).toEqual({ kind: 'fits', value });
  });

  it.each<[readonly Part[], string]>([
    [[{ data: { tone: 'kind' } }], 'message.parts[0].data.text'],
    [[{ raw: 'AA==' }], 'message.parts'],
  ])('misses the text of a message without one: %j (S6)', async (parts, field) => {
    const read = await readInput(aSkill(Spoken), carrying(parts));
    expect(read).toMatchObject({ kind: 'violations', violations: [{ field }] });
  });

  it('reads the first data part and fills defaults in', async () => {
    const request = carrying([{ text: 'x' }, { data: { amounts: [{ value: 1 }] } }]);
    const read = await readInput(aSkill(Payment), request);
    expect(read).toEqual({ kind: 'fits', value: { amounts: [{ value: 1 }], currency: 'EUR' } });
    expect(read.kind === 'fits' && read.value).toBeInstanceOf(Payment);
  });

  it('gives a path for everything that does not fit', async () => {
    const data = { amounts: [{ value: 1 }, { value: 'two' }], currency: 'XXX', note: 'hi' };
    expect(await readInput(aSkill(Payment), carrying([{ text: 'x' }, { data }]))).toEqual({
      kind: 'violations',
      violations: [
        { field: 'message.parts[1].data.note', description: 'is not a known field' },
        { field: 'message.parts[1].data.amounts[1].value', description: expect.stringContaining('must be a number') },
        { field: 'message.parts[1].data.currency', description: expect.stringContaining('EUR, USD') },
      ],
    });
  });

  it.each([[null], [[]], ['text'], [7]])('refuses data that is no object: %j', async (data) => {
    expect(await readInput(aSkill(Payment), carrying([{ data }]))).toEqual({
      kind: 'violations',
      violations: [{ field: 'message.parts[0].data', description: 'must be a JSON object' }],
    });
  });

  it('says that a data part is needed when there is nothing to read', async () => {
    expect(await readInput(aSkill(Payment), carrying([{ text: 'x' }]))).toEqual({
      kind: 'violations',
      violations: [{ field: 'message.parts', description: expect.stringMatching(/^a data part is needed: amounts: /) }],
    });
  });

  it('does not let a nested member be null that must be given', async () => {
    expect(await readInput(aSkill(Payment), carrying([{ data: { amounts: null } }]))).toEqual({
      kind: 'violations',
      violations: [{ field: 'message.parts[0].data.amounts', description: expect.any(String) }],
    });
  });

  it('reads metadata.input, and else members of the metadata by their names', async () => {
    const text = [{ text: 'x' }];
    const read = async (rest: Parameters<typeof carrying>[1]) => readInput(aSkill(Tone), carrying(text, rest));
    expect(await read({ inMessage: { input: { tone: 'kind' } } })).toMatchObject({ value: { tone: 'kind' } });
    expect(await read({ metadata: { input: { tone: 'kind' } } })).toMatchObject({ value: { tone: 'kind' } });
    expect(await read({ inMessage: { tone: 'kind', skillId: 'pay' } })).toMatchObject({ value: { tone: 'kind' } });
    expect(await read({ metadata: { tone: 'kind' } })).toMatchObject({ value: { tone: 'kind' } });
    expect(await read({ inMessage: { skillId: 'pay' } })).toMatchObject({ value: { tone: 'plain' } });
    expect(await read({ inMessage: { tone: 'rude' } })).toMatchObject({
      violations: [{ field: 'message.metadata.tone' }],
    });
  });

  it('gives nothing for a skill without a contract', async () => {
    expect(await readInput(aSkill(), carrying([{ data: 1 }]))).toEqual({ kind: 'fits', value: undefined });
  });
});
