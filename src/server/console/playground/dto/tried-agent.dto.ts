import { IsBoolean, IsIn, IsObject, IsOptional, IsString, Length, MaxLength, ValidateIf } from 'class-validator';
import { AsItIs } from '../../../../operation/dto/as-it-is.js';
import { NestedObject } from '@parley/sdk/validation/nested-object.js';
import { MessageDto } from '../../../../operation/dto/message.dto.js';
import { TRIED_OPERATIONS, type TriedCall } from '../../../../playground/agent-call.js';
import type { JsonObject } from '@parley/protocol/model/json.js';

/** An agent that is looked at. */
export class TriedAgentDto {
  /** Its URL, its identifier in the registry, or its name in AGENTS_FILE. */
  @IsString()
  @Length(1, 2_048)
  readonly agent!: string;
}

/** A skill of it, whose contract is read. */
export class TriedSkillDto extends TriedAgentDto {
  @IsString()
  @Length(1, 1_024)
  readonly skill!: string;
}

/** A body before it is judged: its operation may be anything. */
interface Given {
  readonly operation?: unknown;
}

/** A call to an agent, in the terms of A2A 1.0. */
export class TriedCallDto extends TriedAgentDto {
  @IsIn(TRIED_OPERATIONS)
  readonly operation!: TriedCall['operation'];

  /** The binding that is wanted; else as the card prefers. */
  @IsOptional()
  @IsIn(['JSONRPC', 'HTTP+JSON'])
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';

  @IsOptional()
  @IsIn(['1.0', '0.3'])
  readonly version?: '1.0' | '0.3';

  /** Of the operations that send one. */
  @ValidateIf(({ operation }: Given) => String(operation).startsWith('Send'))
  @NestedObject(() => MessageDto)
  readonly message?: MessageDto;

  @IsOptional()
  @IsObject()
  @AsItIs()
  readonly metadata?: JsonObject;

  @IsOptional()
  @IsBoolean()
  readonly returnImmediately?: boolean;

  /** Of the operations that are about a task. */
  @ValidateIf(({ operation }: Given) => String(operation).endsWith('Task'))
  @IsString()
  @Length(1, 256)
  readonly taskId?: string;

  /** The id of the event that SubscribeToTask is resumed behind. */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  readonly after?: string;
}
