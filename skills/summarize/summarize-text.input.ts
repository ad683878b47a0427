import { IsIn, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { SUMMARY_LENGTHS, type SummaryLength } from './summary.js';

/** How a text is to be summarized. */
export class SummarizeTextInput {
  @JSONSchema({ description: 'How much of the text to keep.' })
  @IsIn(SUMMARY_LENGTHS)
  readonly length: SummaryLength = 'medium';

  @JSONSchema({ description: 'The text; without it, the text parts of the message.' })
  @IsOptional()
  @IsString()
  readonly text?: string;
}
