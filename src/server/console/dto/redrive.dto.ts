import { IsInt, IsOptional, IsString, IsUrl, Max, MaxLength, Min } from 'class-validator';

/** Which dead letters of the tenant are meant; absent members mean any. */
export class DeadLetterQueryDto {
  /** Address of the receiver; what comes after host and port does not count. */
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly endpoint?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly taskId?: string;
}

/** A redrive says how many dead letters its author has seen: where there are others now, nothing is done. */
export class RedriveDto extends DeadLetterQueryDto {
  @IsInt()
  @Min(1)
  @Max(1000)
  readonly expected!: number;
}
