import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { NestedObjects } from '@parley/sdk';

/** As many as `summarize_text` reads. */
const MAX_CHARACTERS = 200_000;

/** The rules that a summary can break. */
export const REVIEW_RULES = ['length', 'coverage', 'reference'] as const;

/** Request for a review. */
export class ReviewSummaryInput {
  @JSONSchema({ description: 'The text that was summarized.' })
  @IsString()
  @MaxLength(MAX_CHARACTERS)
  readonly text!: string;

  @IsString()
  @MaxLength(MAX_CHARACTERS)
  readonly summary!: string;

  @JSONSchema({ description: 'The most words that the summary may have.' })
  @IsInt()
  @Min(10)
  @Max(1_000)
  readonly maxWords: number = 120;

  @JSONSchema({ description: 'Share of the ten most frequent content words that the summary must have.' })
  @IsNumber()
  @Min(0)
  @Max(1)
  readonly minCoverage: number = 0.5;
}

/** A rule that a summary breaks. */
export class ReviewFaultDto {
  @IsIn(REVIEW_RULES)
  readonly rule!: (typeof REVIEW_RULES)[number];

  @IsString()
  readonly text!: string;

  @JSONSchema({ description: 'The sentence that breaks the rule, where it is one.' })
  @IsOptional()
  @IsString()
  readonly sentence?: string;
}

/** The result of a review. */
export class ReviewDto {
  @IsBoolean()
  readonly passed!: boolean;

  @IsInt()
  readonly words!: number;

  @IsNumber()
  @Min(0)
  @Max(1)
  readonly coverage!: number;

  @NestedObjects(() => ReviewFaultDto)
  readonly faults!: readonly ReviewFaultDto[];
}
