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
import { ENTRY_STATES, type EntryState } from '../../entry/registry-entry.js';
import { AfterDto } from '../../../http/params/after.dto.js';
import { QueryNumber } from '../../../http/params/query-number.js';
import { PageDto } from './page.dto.js';

const VISIBILITIES = ['tenant', 'clients'] as const;

/** The clients that can see an agent. */
export class VisibilityDto {
  /** `tenant`, the default: all clients of the tenant. `clients`: the named ones, and the owner. */
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

/** An agent to register. */
export class RegistrationDto extends VisibilityDto {
  /** URL of its card, or of the agent, whose well-known paths are then tried. */
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  @MaxLength(2048)
  readonly url!: string;

  /** `urn:air:<publisher>:agent:<name>`; default: derived from the host and the name. */
  @IsOptional()
  @Matches(/^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/)
  @MaxLength(256)
  readonly identifier?: string;
}

/** The card reviewed by a curator. */
export class ApprovalDto {
  /** `pending.hash` of the agent, else `hash`. */
  @Matches(/^[0-9a-f]{64}$/)
  readonly hash!: string;
}

/** The reason for an action, for the log. */
export class ReasonDto {
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  readonly reason!: string;
}

/** Filter of the list, which includes agents that are not visible yet. */
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
