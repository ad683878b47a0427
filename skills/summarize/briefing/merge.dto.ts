import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, MaxLength, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { NestedObjects } from '@parley/sdk';

/** Characters of the name of a source: addresses and file names fit. */
const MAX_NAME = 8_192;
/** Characters of one summary: as many as `summarize_text` reads. */
const MAX_SUMMARY = 200_000;

/** The summary of one source. */
export class SummaryPartDto {
  @JSONSchema({ description: 'The name of the source.' })
  @IsString()
  @MaxLength(MAX_NAME)
  readonly name!: string;

  @IsString()
  @MaxLength(MAX_SUMMARY)
  readonly summary!: string;
}

/** Summaries of several sources. */
export class MergeSummariesInput {
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @NestedObjects(() => SummaryPartDto)
  readonly parts!: readonly SummaryPartDto[];
}

/** A sentence, and the sources that say it. */
export class PointDto {
  @IsString()
  readonly text!: string;

  @JSONSchema({ description: 'Numbers of its sources, from 1.' })
  @IsArray()
  @IsInt({ each: true })
  readonly sources!: readonly number[];
}

/** One text made of several summaries. */
export class MergedDto {
  @NestedObjects(() => PointDto)
  readonly points!: readonly PointDto[];

  @JSONSchema({ description: 'Names of the sources, by their numbers.' })
  @IsArray()
  @IsString({ each: true })
  readonly names!: readonly string[];

  @JSONSchema({ description: 'Sentences that were left out because another one says the same.' })
  @IsInt()
  @Min(0)
  readonly dropped!: number;
}
