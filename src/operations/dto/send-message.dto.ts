import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsObject, IsOptional, IsString, Max, Min } from 'class-validator';
import { AsItIs } from './as-it-is.js';
import { NestedObject } from '@parley/sdk/validation/nested-object.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { MessageDto } from './message.dto.js';
import { PushConfigDto } from './push-config.dto.js';

/** int32 is the field's type in the protocol. */
export const MAX_INT32 = 2_147_483_647;

/** A received A2A 1.0 `SendMessageConfiguration`. */
export class SendMessageConfigurationDto {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  readonly acceptedOutputModes?: string[];

  @IsOptional()
  @NestedObject(() => PushConfigDto)
  readonly taskPushNotificationConfig?: PushConfigDto;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_INT32)
  readonly historyLength?: number;

  @IsOptional()
  @IsBoolean()
  readonly returnImmediately?: boolean;
}

/** Params of SendMessage and SendStreamingMessage. */
export class SendMessageDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @NestedObject(() => MessageDto)
  readonly message!: MessageDto;

  @IsOptional()
  @NestedObject(() => SendMessageConfigurationDto)
  readonly configuration?: SendMessageConfigurationDto;

  @IsOptional()
  @IsObject()
  @AsItIs()
  readonly metadata?: JsonObject;
}
