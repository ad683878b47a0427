import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** How a task is begun again. */
export class RerunDto {
  /** In place of the texts of its first message. */
  @IsOptional()
  @IsString()
  @MaxLength(65_536)
  readonly text?: string;

  /** The name of a finished step: results of those before it are taken over, and it runs live with all that follows. */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  readonly step?: string;

  /** The turn of that step; the first one where it is absent. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  readonly turn?: number;
}
