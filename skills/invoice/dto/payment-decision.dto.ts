import { IsArray, IsIn, IsISO8601, IsOptional, IsString, Matches } from 'class-validator';
import { NestedObject, NestedObjects } from '@parley/sdk';
import { DECIMAL_PATTERN } from '../decimal.js';
import { DeciderDto } from './decider.dto.js';
import { FindingDto } from './finding.dto.js';
import { InvoiceDto } from './invoice.dto.js';

/** Result of `approve_payment`. */
export class PaymentDecisionDto {
  @IsIn(['approved', 'rejected'])
  readonly decision!: 'approved' | 'rejected';

  @NestedObject(() => DeciderDto)
  readonly by!: DeciderDto;

  /** When it was decided: ISO 8601, UTC. */
  @IsISO8601()
  readonly at!: string;

  /** Of the decider. */
  @IsOptional()
  @IsString()
  readonly comment?: string;

  /** Why a person was asked; empty when the policy decided. */
  @IsArray()
  @IsString({ each: true })
  readonly reasons!: readonly string[];

  /** The amount to pay, in `currency`. */
  @Matches(DECIMAL_PATTERN)
  readonly amount!: string;

  /** ISO 4217; absent when the invoice does not say. */
  @IsOptional()
  @IsString()
  readonly currency?: string;

  /** From this amount on a person is asked. */
  @Matches(DECIMAL_PATTERN)
  readonly threshold!: string;

  @NestedObjects(() => FindingDto)
  readonly findings!: readonly FindingDto[];

  @NestedObject(() => InvoiceDto)
  readonly invoice!: InvoiceDto;
}
