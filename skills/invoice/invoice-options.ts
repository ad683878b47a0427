import { PDF_LIMITS } from './pdf/pdf-limits.js';
import type { PdfLimits } from './pdf/pdf-limits.js';

/** The persons that may approve payments, and the login that this takes. */
export interface ApproverLogin {
  /** The login page for approvers; sent to the caller. */
  readonly url: string;
  /** Subjects (`sub` of the token) that may approve; empty = any caller that is a person, not only a client. */
  readonly subjects: readonly string[];
}

/** Settings of the invoice skills. */
export interface InvoiceOptions {
  /** Largest file that is read, in bytes. */
  readonly maxFileBytes: number;
  readonly pdf: PdfLimits;
  /** From this amount on, a human approves the payment; in the invoice's currency, as a decimal text. */
  readonly approvalThreshold: string;
  /** Other thresholds by currency (ISO 4217). */
  readonly approvalThresholds: Readonly<Record<string, string>>;
  /** When set, approvals count only from a logged-in person (AUTH_REQUIRED instead of INPUT_REQUIRED). */
  readonly approverLogin?: ApproverLogin;
}

/** Provide `InvoiceOptions` under this token to change the defaults. */
export const InvoiceOptions = Symbol('InvoiceOptions');

export const DEFAULT_INVOICE_OPTIONS: InvoiceOptions = {
  maxFileBytes: 20 * 1024 * 1024,
  pdf: PDF_LIMITS,
  approvalThreshold: '10000',
  approvalThresholds: {},
};
