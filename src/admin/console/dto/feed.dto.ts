import { IsOptional, Matches } from 'class-validator';
import { TaskFilterDto } from './task-list.dto.js';

/** The subject of a feed: the tasks of a filter, and each event of one opened task. */
export class FeedDto extends TaskFilterDto {
  @IsOptional()
  @Matches(/^[0-9a-f-]{36}$/)
  readonly task?: string;
}
