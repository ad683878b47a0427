import { IsNumber, IsString, Matches, Max, Min } from 'class-validator';

/** A calendar day, where it was found, and how sure the reader is of it. */
export class DateFieldDto {
  /** ISO 8601, `2026-03-31`. */
  @Matches(/^\d{4}-\d{2}-\d{2}$/)
  readonly value!: string;

  @IsString()
  readonly source!: string;

  @IsNumber()
  @Min(0)
  @Max(1)
  readonly confidence!: number;
}
