import { ArrayMaxSize, IsArray, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { NestedObject } from '@parley/sdk/validation/nested-object.js';
import { ID_LENGTH } from './message.dto.js';

const SECRET_LENGTH = 4096;

/** A received A2A 1.0 `AuthenticationInfo`. */
export class AuthenticationInfoDto {
  @IsString()
  @Length(1, 64)
  readonly scheme!: string;

  @IsOptional()
  @IsString()
  @MaxLength(SECRET_LENGTH)
  readonly credentials?: string;
}

/** A received A2A 1.0 `TaskPushNotificationConfig` in a message: its task may not exist yet. */
export class PushConfigDto {
  @IsOptional()
  @IsString()
  readonly tenant?: string;

  @IsOptional()
  @IsString()
  @MaxLength(ID_LENGTH)
  readonly id?: string;

  @IsOptional()
  @IsString()
  @MaxLength(ID_LENGTH)
  readonly taskId?: string;

  @IsString()
  @Length(1, 2048)
  readonly url!: string;

  @IsOptional()
  @IsString()
  @MaxLength(SECRET_LENGTH)
  readonly token?: string;

  @IsOptional()
  @NestedObject(() => AuthenticationInfoDto)
  readonly authentication?: AuthenticationInfoDto;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  readonly events?: string[];
}
