import { IsIn, IsOptional } from 'class-validator';

/** What a bundle contains. */
export class BundleDto {
  /** With the tasks that the task has called. */
  @IsOptional()
  @IsIn(['true', 'false'])
  readonly children?: 'true' | 'false';
}
