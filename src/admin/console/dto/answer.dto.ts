import { IsDefined, IsOptional, IsString, IsUUID, Matches, MaxLength, ValidateIf } from 'class-validator';

/** An answer to an open question: a text, or a value that fits the question's schema. */
export class AnswerDto {
  /** The question's id in the list of approvals. */
  @Matches(/^[0-9a-f-]{36}:\d{1,9}(\.\d{1,9})?$/)
  readonly questionId!: string;

  @ValidateIf(({ data, text }: AnswerDto) => data === undefined || text !== undefined)
  @IsString()
  @MaxLength(65_536)
  readonly text?: string;

  @ValidateIf(({ text }: AnswerDto) => text === undefined)
  @IsDefined()
  readonly data?: unknown;

  /** Id of a request that may be repeated: the answer is given once. */
  @IsOptional()
  @IsUUID()
  readonly messageId?: string;
}
