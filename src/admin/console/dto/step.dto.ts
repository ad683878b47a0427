import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { QueryNumber } from '../../../http/params/query-number.js';

/** A step of a task. */
export class StepDto {
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly turn?: number;

  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  readonly name?: string;
}
