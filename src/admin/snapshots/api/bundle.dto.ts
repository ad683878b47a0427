import { IsIn, IsOptional } from 'class-validator';

/** The content of a bundle. */
export class BundleDto {
  /** Includes the tasks that the task called. */
  @IsOptional()
  @IsIn(['true', 'false'])
  readonly children?: 'true' | 'false';
}
