import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';
import { NestedObject } from '@parley/sdk/validation/nested-object.js';
import { AuthenticationInfoDto } from '../../../operations/dto/push-config.dto.js';

/** Letters, digits, dots and dashes, and up to eight stars: the cost of matching grows with each star. */
const PATTERN = /^(?=[\w.*-]{1,256}$)(?:[^*]*\*){0,8}[^*]*$/;

/** A webhook for published events. */
export class EventWebhookDto {
  @IsString()
  @Length(1, 2048)
  readonly url!: string;

  /** Types of events; `*` matches any characters. */
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(20)
  @Matches(PATTERN, { each: true, message: 'types must be types of events, as "invoice.approved" or "invoice.*"' })
  readonly types!: string[];

  /** Scope of the events: the caller's tasks, or the whole tenant. */
  @IsOptional()
  @IsIn(['caller', 'tenant'])
  readonly of?: 'caller' | 'tenant';

  @IsOptional()
  @IsString()
  @MaxLength(4096)
  readonly token?: string;

  @IsOptional()
  @NestedObject(() => AuthenticationInfoDto)
  readonly authentication?: AuthenticationInfoDto;
}
