import { IsOptional, IsString, MaxLength } from 'class-validator';

/** How a task is begun again. */
export class RerunDto {
  /** In place of the texts of its first message. */
  @IsOptional()
  @IsString()
  @MaxLength(65_536)
  readonly text?: string;
}
