import { IsNumber, IsString, Matches, Max, Min } from 'class-validator';
import { DECIMAL_PATTERN } from '../decimal.js';

/** An amount in the invoice's currency, where it was found, and how sure the reader is of it. */
export class AmountFieldDto {
  /** A decimal number as text (`1234.56`), so that no digit is lost. */
  @Matches(DECIMAL_PATTERN)
  readonly value!: string;

  @IsString()
  readonly source!: string;

  @IsNumber()
  @Min(0)
  @Max(1)
  readonly confidence!: number;
}
