import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { NestedObject, NestedObjects } from '@parley/sdk';
import { INVOICE_FORMATS, INVOICE_KINDS, MAX_ALLOWANCES, MAX_LINES, MAX_TAXES } from '../invoice-terms.js';
import { AllowanceDto } from './allowance.dto.js';
import { DateFieldDto } from './date-field.dto.js';
import { InvoiceLineDto } from './invoice-line.dto.js';
import { PartyDto } from './party.dto.js';
import { PaymentDto } from './payment.dto.js';
import { TaxLineDto } from './tax-line.dto.js';
import { TextFieldDto } from './text-field.dto.js';
import { TotalsDto } from './totals.dto.js';

/** An invoice as read. Values that the document lacks are absent; none is made up. */
export class InvoiceDto {
  @IsIn(INVOICE_FORMATS)
  readonly format!: (typeof INVOICE_FORMATS)[number];

  @IsIn(INVOICE_KINDS)
  readonly kind!: (typeof INVOICE_KINDS)[number];

  /** Rules that the document says it follows (BT-24). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly profile?: TextFieldDto;

  /** BT-1. */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly number?: TextFieldDto;

  /** UNTDID 1001, for example `380` (BT-3). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly typeCode?: TextFieldDto;

  /** BT-2. */
  @IsOptional()
  @NestedObject(() => DateFieldDto)
  readonly issueDate?: DateFieldDto;

  /** BT-9. */
  @IsOptional()
  @NestedObject(() => DateFieldDto)
  readonly dueDate?: DateFieldDto;

  /** BT-72. */
  @IsOptional()
  @NestedObject(() => DateFieldDto)
  readonly deliveryDate?: DateFieldDto;

  /** ISO 4217 (BT-5). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly currency?: TextFieldDto;

  /** The buyer's order (BT-13). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly purchaseOrder?: TextFieldDto;

  /** The buyer's reference (BT-10). */
  @IsOptional()
  @NestedObject(() => TextFieldDto)
  readonly buyerReference?: TextFieldDto;

  @NestedObject(() => PartyDto)
  readonly seller!: PartyDto;

  @NestedObject(() => PartyDto)
  readonly buyer!: PartyDto;

  @NestedObject(() => PaymentDto)
  readonly payment!: PaymentDto;

  @ArrayMaxSize(MAX_LINES)
  @NestedObjects(() => InvoiceLineDto)
  readonly lines!: readonly InvoiceLineDto[];

  @ArrayMaxSize(MAX_ALLOWANCES)
  @NestedObjects(() => AllowanceDto)
  readonly allowances!: readonly AllowanceDto[];

  @ArrayMaxSize(MAX_TAXES)
  @NestedObjects(() => TaxLineDto)
  readonly taxes!: readonly TaxLineDto[];

  @NestedObject(() => TotalsDto)
  readonly totals!: TotalsDto;

  /** Missing and uncertain values, in words. */
  @IsArray()
  @IsString({ each: true })
  readonly remarks!: readonly string[];
}
