import { IsBoolean, IsInt, Min } from 'class-validator';
import { NestedObject, NestedObjects } from '@parley/sdk';
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

  @NestedObjects(() => FindingDto)
  readonly findings!: readonly FindingDto[];

  /** The invoice that the findings' paths are of. */
  @NestedObject(() => InvoiceDto)
  readonly invoice!: InvoiceDto;
}
