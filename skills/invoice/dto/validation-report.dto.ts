import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, Min, ValidateNested } from 'class-validator';
import { FindingDto } from './finding.dto.js';
import { InvoiceDto } from './invoice.dto.js';

/** Result of `validate_invoice`. */
export class ValidationReportDto {
  /** No finding is an error. */
  @IsBoolean()
  readonly valid!: boolean;

  /** Number of rules that were checked. */
  @IsInt()
  @Min(0)
  readonly rules!: number;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => FindingDto)
  readonly findings!: readonly FindingDto[];

  /** The invoice that the findings' paths are of. */
  @ValidateNested()
  @Type(() => InvoiceDto)
  readonly invoice!: InvoiceDto;
}
