import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsTimeOrDay } from '../../../operations/dto/is-rfc3339.js';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { QueryNumber } from '../../../http/params/query-number.js';

/** Selects tasks of the tenant; absent members match any. */
export class TaskFilterDto {
  @IsOptional()
  @IsIn(TASK_STATES)
  readonly state?: TaskState;

  @IsOptional()
  @IsString()
  @MaxLength(128)
  readonly skill?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly client?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly context?: string;

  /** Only tasks with a status of at most this age. */
  @IsOptional()
  @IsTimeOrDay()
  readonly since?: string;
}

/** A page of the tenant's tasks. */
export class TaskListDto extends TaskFilterDto {
  /** `next` of the page before. */
  @IsOptional()
  @Matches(/^\d{1,13}:[0-9a-f-]{36}$/)
  readonly after?: string;

  /** The beginning of ids: then no other member but `limit` counts. */
  @IsOptional()
  @Matches(/^[0-9a-f][0-9a-f-]{3,35}$/)
  readonly id?: string;

  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(200)
  readonly limit?: number;
}

/** Tasks by their ids. Never by a filter: a misread filter must not cancel other tasks. */
export class TaskIdsDto {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  readonly ids!: readonly string[];
}
