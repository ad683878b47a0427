import { IsIn, IsOptional, IsString } from 'class-validator';

/** `error`: do not pay before it is cleared. `warning`: check it. `info`: a form that only electronic invoices must keep. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;

/** Something about the invoice that is not as it should be. */
export class FindingDto {
  /** Id of the rule: EN 16931's (`BR-CO-15`), Peppol's, or ours (`PARLEY-DUPLICATE`). */
  @IsString()
  readonly rule!: string;

  @IsIn(SEVERITIES)
  readonly severity!: (typeof SEVERITIES)[number];

  /** Where in the invoice: `totals.payable`, `lines[2].netAmount`. */
  @IsString()
  readonly path!: string;

  @IsString()
  readonly message!: string;

  /** The expected value, when it can be computed. */
  @IsOptional()
  @IsString()
  readonly expected?: string;

  /** The actual value. */
  @IsOptional()
  @IsString()
  readonly actual?: string;
}
