import { describe, expect, it } from '@jest/globals';
import {
  ArrayMinSize,
  IsBoolean,
  IsEmail,
  IsEnum,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { checkDto } from '../contract/dto-check.js';
import { jsonSchemaOf } from '../contract/json-schema.js';
import { exampleOf } from './example-value.js';

enum Level {
  low = 'low',
  high = 'high',
}

class Line {
  @IsString()
  readonly text!: string;

  @IsInt()
  @Min(3)
  @Max(9)
  readonly count!: number;
}

class Answer {
  @IsString()
  @Length(60, 80)
  readonly summary!: string;

  @IsEnum(Level)
  readonly level!: Level;

  @IsBoolean()
  readonly isFinal!: boolean;

  @IsEmail()
  readonly to!: string;

  @IsUUID()
  readonly id!: string;

  @IsISO8601()
  readonly at!: string;

  @ValidateNested({ each: true })
  @Type(() => Line)
  @ArrayMinSize(2)
  readonly lines!: readonly Line[];

  @IsOptional()
  @IsInt()
  @Max(-5)
  readonly below?: number;
}

describe(exampleOf.name, () => {
  it('makes a value that fits the contract, in words that cannot be mistaken for a result (O-80)', async () => {
    const example = exampleOf(jsonSchemaOf(Answer)) as Answer;
    expect(await checkDto(Answer, example, '')).toMatchObject({ kind: 'fits' });
    expect(example.summary).toMatch(/^\[DEBUG\] summary/);
    expect(example.lines).toHaveLength(2);
  });

  it.each([
    [{ const: 5 }, 5],
    [{ example: 'E', default: 'D' }, 'E'],
    [{ examples: ['x', 'y'] }, 'x'],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ oneOf: [{ type: 'integer', exclusiveMinimum: 4 }, { type: 'string' }] }, 5],
    [{ allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { type: 'null' } } }] }, { a: 1, b: null }],
    [{ type: ['null', 'boolean'] }, false],
    [{ type: 'string', maxLength: 7 }, '[DEBUG]'],
    [{ type: 'array', items: { const: 1 }, minItems: 1_000_000 }, Array.from({ length: 100 }, () => 1)],
  ])('takes the value that %j names', (schema, value) => {
    expect(exampleOf(schema)).toEqual(value);
  });
});
