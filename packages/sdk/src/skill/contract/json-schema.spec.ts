import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { jsonSchemaOf, membersOf } from './json-schema.js';

class Line {
  @IsString()
  readonly text!: string;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Line)
  readonly parts?: Line[];
}

class Order {
  @JSONSchema({ description: 'How many to send.' })
  @IsInt()
  @Min(1)
  @Max(9)
  readonly count!: number;

  @IsIn(['air', 'sea'])
  readonly by: string = 'sea';

  @IsOptional()
  @Matches(/^[A-Z]{3}$/)
  readonly currency?: string;

  @IsArray()
  @ArrayMinSize(1)
  @ValidateNested({ each: true })
  @Type(() => Line)
  readonly lines!: Line[];
}

const other = () => {
  class Line {
    @IsInt()
    readonly number!: number;
  }
  class Sheet {
    @ValidateNested()
    @Type(() => Line)
    readonly first!: Line;
  }
  return Sheet;
};

describe(jsonSchemaOf.name, () => {
  it('describes members, limits, defaults, required members, and nested classes inline', () => {
    expect(jsonSchemaOf(Order)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many to send.' },
        by: { type: 'string', enum: ['air', 'sea'], default: 'sea' },
        currency: { type: ['string', 'null'], pattern: '^[A-Z]{3}$' },
        lines: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: { text: { type: 'string' }, parts: { type: ['array', 'null'], items: { type: 'object' } } },
            required: ['text'],
            additionalProperties: false,
          },
        },
      },
      required: ['count', 'lines'],
      additionalProperties: false,
    });
  });

  it('distinguishes classes of one name', () => {
    expect(jsonSchemaOf(other())).toMatchObject({
      properties: { first: { properties: { number: { type: 'integer' } } } },
    });
  });
});

describe(membersOf.name, () => {
  it('lists the declared members of a class', () => {
    expect(membersOf(Line)).toEqual(['text', 'parts']);
    expect(membersOf(Date)).toEqual([]);
  });
});
