import type { FindingDto } from '../dto/finding.dto.js';
import type { DataOf, Invoice } from '../invoice.js';

export type Finding = DataOf<FindingDto>;
export type Severity = Finding['severity'];

/** Finding of a rule: its path, and the fault there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Less than the rule's own severity, for example when an amount is off by a rounding. */
  readonly severity?: Severity;
}

/** A rule over one invoice. */
export interface Rule {
  readonly id: string;
  /**
   * `always`: broken is an error in every invoice. `form`: a form that only electronic invoices must keep.
   * `lines`: as `form`, and not asked of profiles that leave out the lines (Factur-X MINIMUM and BASIC WL).
   */
  readonly scope: 'always' | 'form' | 'lines';
  readonly check: (invoice: Invoice) => readonly Problem[];
}
