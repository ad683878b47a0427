import type { FieldViolation } from '../model/errors.js';

/** What of a card is not as a rule asks, or what its callers should know. */
export interface CardFinding extends FieldViolation {
  /** The id of the rule, as docs/conformance/requirements.md has it. */
  readonly rule: string;
  /** `error`: a MUST is broken; `warning`: a SHOULD; `note`: callers should know. */
  readonly severity: 'error' | 'warning' | 'note';
}

export function finding(
  severity: CardFinding['severity'],
  rule: string,
  field: string,
  description: string,
): CardFinding {
  return { rule, severity, field, description };
}
