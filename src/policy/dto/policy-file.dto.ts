import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { NestedObject, NestedObjects } from '@parley/sdk/validation/nested-object.js';

const MAX_RULES = 1_000;
const MAX_PATTERNS = 100;

/** A pattern: at most eight `*`, each any number of characters (`isPattern`). */
const PATTERN = /^(?=.{1,256}$)[^*]*(?:\*[^*]*){0,8}$/s;

/** A list of patterns. */
function Patterns(): PropertyDecorator {
  return (target, property) => {
    IsArray()(target, property);
    ArrayMinSize(1)(target, property);
    ArrayMaxSize(MAX_PATTERNS)(target, property);
    IsString({ each: true })(target, property);
    Matches(PATTERN, { each: true, message: 'must be patterns of at most 256 characters with at most 8 stars' })(
      target,
      property,
    );
  };
}

/** Required freshness of a call. */
export class FreshnessDto {
  /** Seconds by which the `timestamp` of its context may deviate. */
  @IsInt()
  @Min(1)
  @Max(86_400)
  readonly seconds!: number;

  /** Whether its context must have an unused `nonce`. */
  @IsOptional()
  @IsBoolean()
  readonly nonce?: boolean;
}

class RuleDto {
  /** For logs and `parley policy explain`. */
  @IsString()
  @Length(1, 64)
  readonly name!: string;

  /** Tenants that it applies to; default: all. */
  @IsOptional()
  @Patterns()
  readonly tenants?: string[];
}

/** Permitted callers of intents. */
export class IntentRuleDto extends RuleDto {
  /** Ids of skills. */
  @Patterns()
  readonly intents!: string[];

  /** Only these callers. */
  @IsOptional()
  @Patterns()
  readonly allow?: string[];

  /** Not these callers; overrides every other rule. */
  @IsOptional()
  @Patterns()
  readonly deny?: string[];

  @IsOptional()
  @NestedObject(() => FreshnessDto)
  readonly fresh?: FreshnessDto;

  /** Rate of calls per caller: units per minute and burst, as `100/20`. */
  @IsOptional()
  @Matches(/^[1-9]\d{0,8}\/[1-9]\d{0,8}$/, { message: 'must have the format 100/20: calls per minute and burst' })
  readonly rate?: string;
}

/** Memory keys that callers may have. */
export class MemoryRuleDto extends RuleDto {
  @Patterns()
  readonly callers!: string[];

  /** Only these keys. */
  @IsOptional()
  @Patterns()
  readonly allow?: string[];

  /** Not these keys; overrides every other rule. */
  @IsOptional()
  @Patterns()
  readonly deny?: string[];
}

/** Clients that call on behalf of others: their claim about the first caller (`on_behalf_of`) is passed on. */
export class RelayRuleDto extends RuleDto {
  @Patterns()
  readonly callers!: string[];
}

/** The file of `POLICY_FILE`. */
export class PolicyFileDto {
  @IsOptional()
  @ArrayMaxSize(MAX_RULES)
  @NestedObjects(() => IntentRuleDto)
  readonly intents?: IntentRuleDto[];

  @IsOptional()
  @ArrayMaxSize(MAX_RULES)
  @NestedObjects(() => MemoryRuleDto)
  readonly memory?: MemoryRuleDto[];

  @IsOptional()
  @ArrayMaxSize(MAX_RULES)
  @NestedObjects(() => RelayRuleDto)
  readonly relays?: RelayRuleDto[];
}
