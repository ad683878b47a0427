import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { QueryNumber } from '../../../http/params/query-number.js';

/** The requested page of a list, in a query. */
export class PageDto {
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(100)
  readonly pageSize?: number;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly pageToken?: string;
}
