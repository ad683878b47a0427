import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** Options for rerunning a task. */
export class RerunDto {
  /** Replaces the texts of its first message. */
  @IsOptional()
  @IsString()
  @MaxLength(65_536)
  readonly text?: string;

  /** The name of a finished step: results of earlier steps are reused; it and all later ones run live. */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  readonly step?: string;

  /** The turn of that step; default: the first one. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  readonly turn?: number;
}
