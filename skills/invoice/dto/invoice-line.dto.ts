import { IsIn, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { DECIMAL_PATTERN } from '../decimal.js';
import { LINE_KINDS } from '../invoice-terms.js';

/** A line of the invoice (EN 16931 BG-25). Its source and confidence hold for all of its values. */
export class InvoiceLineDto {
  @IsIn(LINE_KINDS)
  readonly kind!: (typeof LINE_KINDS)[number];

  /** BT-126. */
  @IsOptional()
  @IsString()
  readonly id?: string;

  /** Name of the item (BT-153). */
  @IsOptional()
  @IsString()
  readonly name?: string;

  /** BT-129. */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly quantity?: string;

  /** Unit of the quantity, UN/ECE Recommendation 20 in electronic invoices (BT-130). */
  @IsOptional()
  @IsString()
  readonly unit?: string;

  /** Net price of `priceQuantity` units (BT-146). */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly unitPrice?: string;

  /** Number of units that the price is for; 1 when absent (BT-149). */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly priceQuantity?: string;

  /** Sum of the line's allowances (BG-27). */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly allowances?: string;

  /** Sum of the line's charges (BG-28). */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly charges?: string;

  /** BT-131. */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly netAmount?: string;

  /** UNTDID 5305, for example `S` (BT-151). */
  @IsOptional()
  @IsString()
  readonly taxCategory?: string;

  /** Percent (BT-152). */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly taxRate?: string;

  @IsString()
  readonly source!: string;

  @IsNumber()
  @Min(0)
  @Max(1)
  readonly confidence!: number;
}
