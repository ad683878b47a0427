import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';

export const DECISIONS = ['approve', 'reject'] as const;

/** Answer to the form of an approval request, as a data part. */
export class ApprovalAnswerDto {
  @IsIn(DECISIONS)
  readonly decision!: (typeof DECISIONS)[number];

  /** Kept with the decision. */
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  readonly comment?: string;
}
