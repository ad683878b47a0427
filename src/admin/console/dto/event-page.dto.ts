import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { QueryNumber } from '../../../http/params/query-number.js';

/** A page of a task's events, by their numbers. */
export class EventPageDto {
  /** The number of the first event. */
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly from?: number;

  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(500)
  readonly limit?: number;
}

/** A page of events without content; `last` selects the newest ones instead. */
export class EventListDto extends EventPageDto {
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(500)
  readonly last?: number;
}
