import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { ENTRY_STATES, type EntryState } from '../../../registry/entry/registry-entry.js';
import { AfterDto } from '../../http/params/after.dto.js';
import { QueryNumber } from '../../http/params/query-number.js';
import { PageDto } from './page.dto.js';

const VISIBILITIES = ['tenant', 'clients'] as const;

/** Who finds an agent. */
export class VisibilityDto {
  /** `tenant`, the default: everybody of the tenant. `clients`: the named ones, and the one that has registered it. */
  @IsOptional()
  @IsIn(VISIBILITIES)
  readonly visibility?: (typeof VISIBILITIES)[number];

  @ValidateIf(({ visibility }: VisibilityDto) => visibility === 'clients')
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MaxLength(256, { each: true })
  readonly clients?: readonly string[];
}

/** An agent to be registered. */
export class RegistrationDto extends VisibilityDto {
  /** The URL of its card, or of the agent: its well-known paths are tried then. */
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly url!: string;

  /** `urn:air:<publisher>:agent:<name>`; absent: made of the host and the name. */
  @IsOptional()
  @Matches(/^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/)
  @MaxLength(256)
  readonly identifier?: string;
}

/** The card that a curator has seen. */
export class ApprovalDto {
  /** `pending.hash` of the agent, else `hash`. */
  @Matches(/^[0-9a-f]{64}$/)
  readonly hash!: string;
}

/** Why something is done, for the log. */
export class ReasonDto {
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  readonly reason!: string;
}

/** Which agents are listed, with those that nobody finds yet. */
export class EntryListDto extends PageDto {
  @IsOptional()
  @IsIn(ENTRY_STATES)
  readonly state?: EntryState;

  /** Only agents with a newer card that waits for an approval. */
  @IsOptional()
  @IsIn(['true', 'false'])
  readonly pending?: 'true' | 'false';
}

/** A page of the log. */
export class LogPageDto extends AfterDto {
  @IsOptional()
  @QueryNumber()
  @IsInt()
  @Min(1)
  @Max(1000)
  readonly limit?: number;
}

/** The public keys of a publisher. */
export class KeysDto {
  /** A JSON Web Key Set's keys: public ones only. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  readonly keys!: readonly unknown[];
}
