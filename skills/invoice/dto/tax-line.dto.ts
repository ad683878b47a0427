import { IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { DECIMAL_PATTERN } from '../decimal.js';

/** The VAT of one category and rate (EN 16931 BG-23). Its source and confidence hold for all of its values. */
export class TaxLineDto {
  /** UNTDID 5305, for example `S` (BT-118). */
  @IsOptional()
  @IsString()
  readonly category?: string;

  /** Percent (BT-119). */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly rate?: string;

  /** BT-116. */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly taxableAmount?: string;

  /** BT-117. */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly taxAmount?: string;

  /** Why no VAT is charged: a text or a code (BT-120, BT-121). */
  @IsOptional()
  @IsString()
  readonly exemptionReason?: string;

  @IsString()
  readonly source!: string;

  @IsNumber()
  @Min(0)
  @Max(1)
  readonly confidence!: number;
}
