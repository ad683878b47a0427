import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { IsRfc3339 } from './is-rfc3339.js';
import { ID_LENGTH } from './message.dto.js';
import { MAX_INT32 } from './send-message.dto.js';

/** Params of ListTasks (A2A-LIST-05, -10). */
export class ListTasksDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @IsOptional()
  @IsString()
  @MaxLength(ID_LENGTH)
  readonly contextId?: string;

  @IsOptional()
  @IsIn(TASK_STATES)
  readonly status?: TaskState;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  readonly pageSize?: number;

  @IsOptional()
  @IsString()
  @MaxLength(1024)
  readonly pageToken?: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_INT32)
  readonly historyLength?: number;

  @IsOptional()
  @IsRfc3339()
  readonly statusTimestampAfter?: string;

  @IsOptional()
  @IsBoolean()
  readonly includeArtifacts?: boolean;
}
