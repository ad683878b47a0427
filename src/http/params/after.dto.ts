import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { QueryNumber } from './query-number.js';

/** Items after a number that the caller knows. */
export class AfterDto {
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly after?: number;
}
