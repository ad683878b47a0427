import { IsBoolean, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { DECIMAL_PATTERN } from '../decimal.js';

/** An allowance or a charge on the whole document (EN 16931 BG-20, BG-21). */
export class AllowanceDto {
  /** True: a charge, added to the sum. False: an allowance, taken from it. */
  @IsBoolean()
  readonly isCharge!: boolean;

  /** BT-92, BT-99. */
  @IsOptional()
  @Matches(DECIMAL_PATTERN)
  readonly amount?: string;

  /** A text or a code (BT-97, BT-98, BT-104, BT-105). */
  @IsOptional()
  @IsString()
  readonly reason?: string;

  /** UNTDID 5305 (BT-95, BT-102). */
  @IsOptional()
  @IsString()
  readonly taxCategory?: string;

  /** Percent (BT-96, BT-103). */
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
