import { IsInt, IsObject, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { AsItIs } from './as-it-is.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { ID_LENGTH } from './message.dto.js';
import { MAX_INT32 } from './send-message.dto.js';

/** Params of SubscribeToTask, and the beginning of those of GetTask and CancelTask. */
export class TaskIdDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @IsString()
  @Length(1, ID_LENGTH)
  readonly id!: string;
}

/** Params of GetTask. */
export class GetTaskDto extends TaskIdDto {
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_INT32)
  readonly historyLength?: number;
}

/** Params of CancelTask. */
export class CancelTaskDto extends TaskIdDto {
  @IsOptional()
  @IsObject()
  @AsItIs()
  readonly metadata?: JsonObject;
}
