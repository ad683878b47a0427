import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { SUMMARY_LENGTHS, type SummaryLength } from './summary.js';

/** How a text is to be summarized. */
export class SummarizeTextInput {
  @JSONSchema({ description: 'How much of the text to keep.' })
  @IsIn(SUMMARY_LENGTHS)
  readonly length: SummaryLength = 'medium';

  @JSONSchema({ description: 'The text; without it, the text parts of the message.' })
  @IsString()
  readonly text!: string;

  @JSONSchema({ description: 'How many sentences to keep, instead of a length.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(15)
  readonly sentences?: number;

  @JSONSchema({ description: 'Sentences of the text that must not be in the summary.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  readonly leaveOut?: readonly string[];
}

/** A summary. */
export class SummarizeTextOutput {
  @JSONSchema({ description: 'Sentences of the text, in its order; the text itself where it is short.' })
  @IsString()
  readonly summary!: string;
}
