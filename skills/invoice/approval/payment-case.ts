import { amountText, decimalOf } from '../decimal.js';
import type { InvoiceOptions } from '../invoice-options.js';
import type { Found, Invoice } from '../invoice.js';
import type { Finding } from '../rule/rule.js';

/** Below this confidence an amount is paid only after a person has checked it. */
const SURE = 0.8;

/** A payment that a person or the policy decides on. Plain JSON: it waits in the task's state, for a week if need be. */
export interface PaymentCase {
  readonly invoice: Invoice;
  readonly findings: readonly Finding[];
  readonly amount: string;
  readonly currency?: string;
  readonly threshold: string;
  /** The reasons why a person must decide; empty if none must. */
  readonly reasons: readonly string[];
}

/** The case of an invoice, or why there is nothing to pay. */
export function paymentCaseOf(
  invoice: Invoice,
  findings: readonly Finding[],
  options: InvoiceOptions,
): PaymentCase | { readonly refusal: string } {
  const amount = amountToPay(invoice);
  if (amount === undefined) {
    return { refusal: 'The amount to be paid was not found in the invoice, so there is nothing to decide on.' };
  }
  if (invoice.kind === 'credit-note') return { refusal: 'This is a credit note: nothing is to be paid.' };
  if (decimalOf(amount.value)?.gt(0) !== true) {
    return { refusal: `Nothing is to be paid: the amount due is ${amount.value}.` };
  }
  const currency = invoice.currency?.value;
  const threshold =
    (currency === undefined ? undefined : options.approvalThresholds[currency]) ?? options.approvalThreshold;
  return {
    invoice,
    findings,
    amount: amount.value,
    ...(currency === undefined ? {} : { currency }),
    threshold,
    reasons: reasonsOf({ amount, currency, threshold, findings }),
  };
}

/** The amount due; older invoices give only the total and the paid amount. */
function amountToPay({ totals }: Invoice): Found | undefined {
  if (totals.payable !== undefined) return totals.payable;
  const gross = decimalOf(totals.taxInclusive?.value);
  if (gross === undefined || totals.taxInclusive === undefined) return undefined;
  return { ...totals.taxInclusive, value: amountText(gross.minus(totals.prepaid?.value ?? 0)) };
}

interface Grounds {
  readonly amount: Found;
  readonly currency: string | undefined;
  readonly threshold: string;
  readonly findings: readonly Finding[];
}

function reasonsOf({ amount, currency, threshold, findings }: Grounds): readonly string[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isLarge = decimalOf(amount.value)?.gte(threshold) === true;
  return [
    ...(isLarge ? [`The amount is at or above ${threshold} ${currency ?? ''}`.trim()] : []),
    ...(currency === undefined ? ['The currency is not known'] : []),
    ...(amount.confidence < SURE ? ['The amount was read from the printed page and is not certain'] : []),
    ...errors.slice(0, 5).map(({ rule, message }) => `${rule}: ${message.replace(/\.$/u, '')}`),
    ...(errors.length > 5 ? [`${String(errors.length - 5)} more errors`] : []),
  ];
}

/** Whether a stored value is a case, as `paymentCaseOf` made it. */
export function isPaymentCase(value: unknown): value is PaymentCase {
  return typeof value === 'object' && value !== null && 'invoice' in value && 'amount' in value && 'reasons' in value;
}
