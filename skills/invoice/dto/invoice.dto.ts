import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, ValidateNested } from 'class-validator';
import { INVOICE_FORMATS, INVOICE_KINDS, MAX_ALLOWANCES, MAX_LINES, MAX_TAXES } from '../invoice-terms.js';
import { AllowanceDto } from './allowance.dto.js';
import { DateFieldDto } from './date-field.dto.js';
import { InvoiceLineDto } from './invoice-line.dto.js';
import { PartyDto } from './party.dto.js';
import { PaymentDto } from './payment.dto.js';
import { TaxLineDto } from './tax-line.dto.js';
import { TextFieldDto } from './text-field.dto.js';
import { TotalsDto } from './totals.dto.js';

/** An invoice as read. What the document does not say is absent; nothing is made up. */
export class InvoiceDto {
  @IsIn(INVOICE_FORMATS)
  readonly format!: (typeof INVOICE_FORMATS)[number];

  @IsIn(INVOICE_KINDS)
  readonly kind!: (typeof INVOICE_KINDS)[number];

  /** Rules that the document says it follows (BT-24). */
  @IsOptional()
  @ValidateNested()
  @Type(() => TextFieldDto)
  readonly profile?: TextFieldDto;

  /** BT-1. */
  @IsOptional()
  @ValidateNested()
  @Type(() => TextFieldDto)
  readonly number?: TextFieldDto;

  /** UNTDID 1001, for example `380` (BT-3). */
  @IsOptional()
  @ValidateNested()
  @Type(() => TextFieldDto)
  readonly typeCode?: TextFieldDto;

  /** BT-2. */
  @IsOptional()
  @ValidateNested()
  @Type(() => DateFieldDto)
  readonly issueDate?: DateFieldDto;

  /** BT-9. */
  @IsOptional()
  @ValidateNested()
  @Type(() => DateFieldDto)
  readonly dueDate?: DateFieldDto;

  /** BT-72. */
  @IsOptional()
  @ValidateNested()
  @Type(() => DateFieldDto)
  readonly deliveryDate?: DateFieldDto;

  /** ISO 4217 (BT-5). */
  @IsOptional()
  @ValidateNested()
  @Type(() => TextFieldDto)
  readonly currency?: TextFieldDto;

  /** The buyer's order (BT-13). */
  @IsOptional()
  @ValidateNested()
  @Type(() => TextFieldDto)
  readonly purchaseOrder?: TextFieldDto;

  /** The buyer's reference (BT-10). */
  @IsOptional()
  @ValidateNested()
  @Type(() => TextFieldDto)
  readonly buyerReference?: TextFieldDto;

  @ValidateNested()
  @Type(() => PartyDto)
  readonly seller!: PartyDto;

  @ValidateNested()
  @Type(() => PartyDto)
  readonly buyer!: PartyDto;

  @ValidateNested()
  @Type(() => PaymentDto)
  readonly payment!: PaymentDto;

  @IsArray()
  @ArrayMaxSize(MAX_LINES)
  @ValidateNested({ each: true })
  @Type(() => InvoiceLineDto)
  readonly lines!: readonly InvoiceLineDto[];

  @IsArray()
  @ArrayMaxSize(MAX_ALLOWANCES)
  @ValidateNested({ each: true })
  @Type(() => AllowanceDto)
  readonly allowances!: readonly AllowanceDto[];

  @IsArray()
  @ArrayMaxSize(MAX_TAXES)
  @ValidateNested({ each: true })
  @Type(() => TaxLineDto)
  readonly taxes!: readonly TaxLineDto[];

  @ValidateNested()
  @Type(() => TotalsDto)
  readonly totals!: TotalsDto;

  /** What the reader could not find or is not sure of, in words. */
  @IsArray()
  @IsString({ each: true })
  readonly remarks!: readonly string[];
}
