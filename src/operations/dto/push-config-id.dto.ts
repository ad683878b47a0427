import { IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { ID_LENGTH } from './message.dto.js';

/** Params of ListTaskPushNotificationConfigs. */
export class ListPushConfigsDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @IsString()
  @Length(1, ID_LENGTH)
  readonly taskId!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  readonly pageSize?: number;

  @IsOptional()
  @IsString()
  @MaxLength(1024)
  readonly pageToken?: string;
}

/** Params of GetTaskPushNotificationConfig and DeleteTaskPushNotificationConfig. */
export class PushConfigIdDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @IsString()
  @Length(1, ID_LENGTH)
  readonly taskId!: string;

  @IsString()
  @Length(1, ID_LENGTH)
  readonly id!: string;
}
