import { IsInt, IsOptional, IsString, IsUrl, Max, MaxLength, Min } from 'class-validator';

/** Selects dead letters of the tenant; absent members match any. */
export class DeadLetterQueryDto {
  /** Address of the receiver; only host and port count. */
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly endpoint?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly taskId?: string;
}

/** A redrive states the number of dead letters that its author saw: if there are others now, nothing is done. */
export class RedriveDto extends DeadLetterQueryDto {
  @IsInt()
  @Min(1)
  @Max(1000)
  readonly expected!: number;
}
