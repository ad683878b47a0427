import { Big } from 'big.js';
import type { InvoiceDto } from '../../../skills/invoice/dto/invoice.dto.js';
import type { Expected } from './plain-invoices.js';

type Reading = Omit<Expected, 'lines'> & { readonly lines: number };

const IDS = ['number', 'sellerVatId'] as const;
const TOTALS = ['taxExclusive', 'tax', 'taxInclusive', 'payable'] as const;
const OTHERS = ['issueDate', 'dueDate', 'currency', 'seller', 'buyer', 'lines'] as const;

/** How much of what was expected was read. A part is right only when all of its fields are. */
export interface Score {
  readonly ids: boolean;
  readonly totals: boolean;
  readonly others: boolean;
  /** `payable: 10 instead of 12`. */
  readonly wrong: readonly string[];
}

/** Compares an invoice with what its sample should give; amounts as numbers (`5` is `5.00`). */
export function score(invoice: InvoiceDto, expected: Expected): Score {
  const read = readingOf(invoice);
  const wrong = (fields: readonly (keyof Expected)[]): readonly string[] =>
    fields
      .filter((field) => expected[field] !== undefined && !isSame(read[field], expected[field]))
      .map((field) => `${field}: ${String(read[field])} instead of ${String(expected[field])}`);
  const [ids, totals, others] = [wrong(IDS), wrong(TOTALS), wrong(OTHERS)];
  return {
    ids: ids.length === 0,
    totals: totals.length === 0,
    others: others.length === 0,
    wrong: [...ids, ...totals, ...others],
  };
}

function readingOf({
  number,
  issueDate,
  dueDate,
  currency,
  seller,
  buyer,
  totals,
  lines,
}: InvoiceDto): Partial<Reading> {
  return Object.fromEntries(
    Object.entries({
      number: number?.value,
      issueDate: issueDate?.value,
      dueDate: dueDate?.value,
      currency: currency?.value,
      seller: seller.name?.value,
      sellerVatId: seller.vatId?.value,
      buyer: buyer.name?.value,
      taxExclusive: totals.taxExclusive?.value,
      tax: totals.tax?.value,
      taxInclusive: totals.taxInclusive?.value,
      payable: totals.payable?.value,
      lines: lines.length,
    }).filter(([, value]) => value !== undefined),
  );
}

function isSame(read: string | number | undefined, expected: string | number | undefined): boolean {
  if (read === expected) return true;
  const isAmount = /^-?\d+(?:\.\d+)?$/u;
  return isAmount.test(String(read)) && isAmount.test(String(expected)) && new Big(String(read)).eq(String(expected));
}
