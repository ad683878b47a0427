import { IsInt, IsOptional, IsString, IsUrl, Max, MaxLength, Min } from 'class-validator';
import { IsTimeOrDay } from '../../../operations/dto/is-rfc3339.js';
import { QueryNumber } from '../../../http/params/query-number.js';

/** Selects dead letters: in the query of a list, or in the body of a redrive. */
export class DeadLetterFilterDto {
  /** Address of the receiver; only host and port count. */
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly endpoint?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly taskId?: string;

  /** Given up at this time or later. */
  @IsOptional()
  @IsTimeOrDay()
  readonly since?: string;

  @IsOptional()
  @IsTimeOrDay()
  readonly until?: string;

  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(1000)
  readonly limit?: number;
}
