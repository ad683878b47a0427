import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';
import { AsItIs } from './as-it-is.js';
import { NestedObjects } from '@parley/sdk/validation/nested-object.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part, Role } from '@parley/protocol/model/message.js';
import { ExactlyOneContent } from './exactly-one-content.js';
import { IsBase64 } from './is-base64.js';

/** Ids are opaque, but bounded: characters (A2A 1.0 leaves the limit to the server). */
export const ID_LENGTH = 256;
/** Any script, but no characters that could break a line of a log or a terminal, or turn its direction. */
const WITHOUT_CONTROLS = /^[^\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u;
const NO_CONTROLS = { message: 'must have no control characters' };
const MAX_PARTS = 1_000;

/** A received A2A 1.0 `Part`. */
export class PartDto {
  @IsOptional()
  @IsString()
  readonly text?: string;

  @IsOptional()
  @IsBase64()
  readonly raw?: string;

  @IsOptional()
  @IsString()
  @Length(1, 8192)
  readonly url?: string;

  @Allow()
  @AsItIs()
  readonly data?: unknown;

  /** Never sent: carries the validation rule about the four members above. */
  @ExactlyOneContent()
  readonly content?: never;

  @IsOptional()
  @IsObject()
  @AsItIs()
  readonly metadata?: JsonObject;

  @IsOptional()
  @IsString()
  @MaxLength(1024)
  readonly filename?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly mediaType?: string;
}

/** A received A2A 1.0 `Message` (A2A-SEND-13). */
export class MessageDto {
  @IsString()
  @Length(1, ID_LENGTH)
  @Matches(WITHOUT_CONTROLS, NO_CONTROLS)
  readonly messageId!: string;

  @IsOptional()
  @IsString()
  @MaxLength(ID_LENGTH)
  @Matches(WITHOUT_CONTROLS, NO_CONTROLS)
  readonly contextId?: string;

  @IsOptional()
  @IsString()
  @MaxLength(ID_LENGTH)
  @Matches(WITHOUT_CONTROLS, NO_CONTROLS)
  readonly taskId?: string;

  @IsIn(['ROLE_USER', 'ROLE_AGENT'])
  readonly role!: Role;

  @ArrayMinSize(1, { message: 'must have at least one part' })
  @ArrayMaxSize(MAX_PARTS, { message: 'must have at most $constraint1 parts' })
  @NestedObjects(() => PartDto)
  readonly parts!: Part[];

  @IsOptional()
  @IsObject()
  @AsItIs()
  readonly metadata?: JsonObject;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  readonly extensions?: string[];

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  readonly referenceTaskIds?: string[];
}
