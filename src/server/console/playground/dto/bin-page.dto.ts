import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { QueryNumber } from '../../../http/query-number.js';

/** The deliveries of a bin behind one that is known. */
export class BinPageDto {
  /** The `no` of that delivery. */
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly after?: number;
}
