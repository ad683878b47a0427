import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { HTTP_URL } from '../../platform/config/checks/http-url.js';
import { Amount, WholeNumber } from '../../platform/config/checks/numbers.js';
import { NestedObject } from '@parley/sdk/validation/nested-object.js';

/** The kinds of providers. The first two are called by our own adapter, the others by a package of the AI SDK. */
export const PROVIDER_TYPES = ['openai-compatible', 'openai', 'anthropic', 'google', 'bedrock'] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Names of providers, models and regions: labels of metrics, and words of skills. */
export const NAME = /^[a-z][a-z0-9._-]{0,63}$/;
const NAMES = { each: true, message: 'must be names: a lower case letter, then letters, digits, ".", "_" or "-"' };
/** A key is never in the file itself. */
const KEY = /^(env:[A-Za-z_][A-Za-z0-9_]*|file:\/.+)$/;
const KEY_FAULT = 'must be env:NAME or file:/path: a key is not written into the file';
const DAY_MS = 86_400_000;

/** What the account of a provider may be asked, over all processes. */
export class AccountLimitsDto {
  /** Calls under way. */
  @IsOptional()
  @WholeNumber(1, 100_000)
  readonly atOnce?: number;

  /** Calls a minute. */
  @IsOptional()
  @WholeNumber(1, 10_000_000)
  readonly requests?: number;
}

/** An account at a provider. */
export class ProviderDto {
  @IsIn(PROVIDER_TYPES)
  readonly type!: ProviderType;

  /** The address up to its version; default: the provider's own. */
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly url?: string;

  @IsOptional()
  @Matches(KEY, { message: KEY_FAULT })
  readonly key?: string;

  /** Where it keeps data, in the operator's word. */
  @IsOptional()
  @Matches(NAME)
  readonly region?: string;

  /** The region of Bedrock. */
  @IsOptional()
  @Matches(/^[a-z0-9-]{1,32}$/)
  readonly awsRegion?: string;

  @IsOptional()
  @NestedObject(() => AccountLimitsDto)
  readonly limits?: AccountLimitsDto;
}

/** Prices of a million tokens. */
export class PricesDto {
  @Amount()
  readonly in: number = 0;

  @IsOptional()
  @Amount()
  readonly cached?: number;

  @IsOptional()
  @Amount()
  readonly written?: number;

  @Amount()
  readonly out: number = 0;
}

/** A model, by the name of its role. */
export class ModelDto {
  /** The name of its account. */
  @IsString()
  readonly provider!: string;

  /** Its name at the provider. */
  @IsString()
  @Length(1, 256)
  readonly id!: string;

  /** Tokens that it reads and writes together. */
  @IsOptional()
  @WholeNumber(1, 1_000_000_000)
  readonly context?: number;

  /** Most tokens of an answer, sent where a request names none. */
  @IsOptional()
  @WholeNumber(1, 100_000_000)
  readonly answer?: number;

  /** What it can beside texts: `tools`, and the media types of files that it reads, or ranges (`image/*`); absent: tools. */
  @IsOptional()
  @IsArray()
  @Matches(/^(?:tools|[a-z]+\/(?:\*|[a-z0-9.+-]+))$/, { each: true, message: 'each is "tools" or a media type' })
  readonly can?: string[];

  @IsOptional()
  @NestedObject(() => PricesDto)
  readonly price?: PricesDto;

  /** Roles that are asked in its place, in this order. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(10)
  @Matches(NAME, NAMES)
  readonly fallback?: string[];

  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(2)
  readonly temperature?: number;

  /** Until the first piece of an answer, ms. */
  @IsInt()
  @Min(1)
  @Max(DAY_MS)
  readonly firstMs: number = 120_000;

  /** Between two pieces, ms. */
  @IsInt()
  @Min(1)
  @Max(DAY_MS)
  readonly idleMs: number = 60_000;

  /** For the whole answer, ms. */
  @IsInt()
  @Min(1)
  @Max(DAY_MS)
  readonly totalMs: number = 900_000;
}

/** Rules of a tenant. */
export class TenantDto {
  /** Regions whose providers it may use; absent: all. */
  @IsOptional()
  @IsArray()
  @Matches(NAME, NAMES)
  readonly regions?: string[];

  /** Models that it may use; absent: all. */
  @IsOptional()
  @IsArray()
  @Matches(NAME, NAMES)
  readonly models?: string[];

  /** Keys of its own, by provider: its calls are an account of their own. */
  @IsOptional()
  @IsObject()
  readonly keys?: Readonly<Record<string, unknown>>;

  /** Cost of a day (UTC) by model. */
  @IsOptional()
  @IsObject()
  readonly daily?: Readonly<Record<string, unknown>>;

  /** Its share of an account for which calls wait; default 1. */
  @IsInt()
  @Min(1)
  @Max(100)
  readonly weight: number = 1;
}

/** MODELS_FILE; the values of `providers`, `models` and `tenants` are checked one by one. */
export class ModelsFileDto {
  @IsObject()
  readonly providers!: Readonly<Record<string, unknown>>;

  @IsObject()
  readonly models!: Readonly<Record<string, unknown>>;

  /** The role of skills that name none. */
  @IsOptional()
  @Matches(NAME)
  readonly default?: string;

  @IsOptional()
  @IsObject()
  readonly tenants?: Readonly<Record<string, unknown>>;
}

/** A reference to a key, beside the file. */
export class KeyDto {
  @Matches(KEY, { message: KEY_FAULT })
  readonly key!: string;
}

/** Money of a day. */
export class DailyDto {
  @Amount()
  readonly cost!: number;
}
