import { IsNumber, IsString, Max, MaxLength, Min } from 'class-validator';

/** A text of the invoice, where it was found, and how sure the reader is of it. */
export class TextFieldDto {
  @IsString()
  @MaxLength(2000)
  readonly value!: string;

  /** An XML path, a JSON pointer, or a page with the label beside which the value stood. */
  @IsString()
  readonly source!: string;

  /** 1 = read from structured data; below 1 = found by layout. */
  @IsNumber()
  @Min(0)
  @Max(1)
  readonly confidence!: number;
}
