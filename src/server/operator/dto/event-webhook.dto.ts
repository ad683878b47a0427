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
import { AuthenticationInfoDto } from '../../../operation/dto/push-config.dto.js';

/** Letters, digits, dots and dashes, and up to eight stars: matching takes the length of the type for each star. */
const PATTERN = /^(?=[\w.*-]{1,256}$)(?:[^*]*\*){0,8}[^*]*$/;

/** A webhook that wants published events. */
export class EventWebhookDto {
  @IsString()
  @Length(1, 2048)
  readonly url!: string;

  /** Types of events; `*` is any number of characters. */
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(20)
  @Matches(PATTERN, { each: true, message: 'types must be types of events, as "invoice.approved" or "invoice.*"' })
  readonly types!: string[];

  /** Whose events: those of the caller's tasks, or of the whole tenant. */
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
