import {
  ArrayMaxSize,
  ArrayMinSize,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { NestedObject, NestedObjects } from '@parley/sdk/validation/nested-object.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { PageDto } from './page.dto.js';

const MAX_QUERY = 1000;

/** A query (ARD 0.91 §5.3.1): by words, by terms, or both. */
export class QueryDto {
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_QUERY)
  readonly text?: string;

  /** Term → value or values. */
  @IsOptional()
  @IsObject()
  readonly filter?: JsonObject;
}

/** The same with words, which a search requires. */
export class SearchQueryDto {
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_QUERY)
  readonly text!: string;

  /** Term → value or values. */
  @IsOptional()
  @IsObject()
  readonly filter?: JsonObject;
}

/** The body of `POST /search` (§5.3.2). */
export class SearchDto {
  @NestedObject(() => SearchQueryDto)
  readonly query!: SearchQueryDto;

  /** There are no registries above this one: each value returns its own agents. */
  @IsOptional()
  @IsIn(['auto', 'referrals', 'none'])
  readonly federation?: 'auto' | 'referrals' | 'none';

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  readonly pageSize?: number;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly pageToken?: string;
}

/** A term to count by. */
export class FacetDto {
  @IsString()
  @MaxLength(64)
  readonly field!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  readonly limit?: number;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(10_000)
  readonly minCount?: number;
}

export class FacetsDto {
  @ArrayMinSize(1)
  @ArrayMaxSize(16)
  @NestedObjects(() => FacetDto)
  readonly facets!: readonly FacetDto[];
}

/** The body of `POST /explore` (§5.3.3). */
export class ExploreDto {
  @IsOptional()
  @NestedObject(() => QueryDto)
  readonly query?: QueryDto;

  @NestedObject(() => FacetsDto)
  readonly resultType!: FacetsDto;
}

/** The query of `GET /agents` (§5.3.5), with short forms for the most common filters: skill, tag, words. */
export class AgentListDto extends PageDto {
  /** `tags = 'finance' AND publisher = 'acme.com'`. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_QUERY)
  readonly filter?: string;

  /** The id of a skill. */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly skill?: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  readonly tag?: string;

  /** Words; the list is then ordered by relevance. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_QUERY)
  readonly q?: string;

  @IsOptional()
  @IsIn(['displayName'])
  readonly orderBy?: 'displayName';
}
