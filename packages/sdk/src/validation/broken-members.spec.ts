import { describe, expect, it } from '@jest/globals';
import { plainToInstance, Type } from 'class-transformer';
import { IsInt, IsString, ValidateNested, validateSync } from 'class-validator';
import { brokenMembers } from './broken-members.js';

class Line {
  @IsInt()
  readonly amount!: number;
}

class Invoice {
  @IsString()
  readonly number!: string;

  @ValidateNested({ each: true })
  @Type(() => Line)
  readonly lines!: readonly Line[];
}

describe(brokenMembers.name, () => {
  it('names every member that breaks a rule by its path, and none that only holds one', () => {
    const invoice = plainToInstance(Invoice, { number: 7, lines: [{ amount: 1 }, { amount: 'x' }] });
    const broken = brokenMembers(validateSync(invoice), 'message.parts[0].data');
    expect(broken.map(({ path, constraints }) => [path, Object.keys(constraints)])).toEqual([
      ['message.parts[0].data.number', ['isString']],
      ['message.parts[0].data.lines[1].amount', ['isInt']],
    ]);
  });

  it('reports nothing for a valid value', () => {
    expect(brokenMembers(validateSync(plainToInstance(Invoice, { number: 'a', lines: [] })))).toEqual([]);
  });
});
