import type { FieldViolation } from '../model/errors.js';

/** Violation of a rule by a card, or a notice for its callers. */
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
