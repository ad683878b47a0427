import { IsBoolean, IsIn, IsObject, IsOptional, IsString, Length, MaxLength, ValidateIf } from 'class-validator';
import { AsItIs } from '../../../../operations/dto/as-it-is.js';
import { NestedObject } from '@parley/sdk/validation/nested-object.js';
import { MessageDto } from '../../../../operations/dto/message.dto.js';
import { TRIED_OPERATIONS, type TriedCall } from '../../agent-call.js';
import type { JsonObject } from '@parley/protocol/model/json.js';

/** An agent to inspect. */
export class TriedAgentDto {
  /** Its URL, its identifier in the registry, or its name in AGENTS_FILE. */
  @IsString()
  @Length(1, 2_048)
  readonly agent!: string;
}

/** A skill whose contract is read. */
export class TriedSkillDto extends TriedAgentDto {
  @IsString()
  @Length(1, 1_024)
  readonly skill!: string;
}

/** An unchecked body: its operation may be any value. */
interface Given {
  readonly operation?: unknown;
}

/** A call to an agent, in the terms of A2A 1.0. */
export class TriedCallDto extends TriedAgentDto {
  @IsIn(TRIED_OPERATIONS)
  readonly operation!: TriedCall['operation'];

  /** The requested binding; default: the card's preference. */
  @IsOptional()
  @IsIn(['JSONRPC', 'HTTP+JSON'])
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';

  @IsOptional()
  @IsIn(['1.0', '0.3'])
  readonly version?: '1.0' | '0.3';

  /** Required by operations that send a message. */
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

  /** Required by operations on a task. */
  @ValidateIf(({ operation }: Given) => String(operation).endsWith('Task'))
  @IsString()
  @Length(1, 256)
  readonly taskId?: string;

  /** Id of the event after which SubscribeToTask resumes. */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  readonly after?: string;
}
