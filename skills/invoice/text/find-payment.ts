import { present } from '../invoice.js';
import type { Found, Payment } from '../invoice.js';
import { bicIn, ibanIn } from './identity.js';
import type { Line } from './layout.js';

/** The account to pay to. An IBAN carries check digits, so one that fits is certain; whose it is is not. */
export function findPayment(lines: readonly Line[]): Payment {
  return present({ iban: first(lines, ibanIn, 0.95), bic: first(lines, bicIn, 0.9) });
}

function first(
  lines: readonly Line[],
  read: (text: string) => string | undefined,
  confidence: number,
): Found | undefined {
  for (const line of lines) {
    const value = read(line.cells.map(({ text }) => text).join(' '));
    if (value !== undefined) return { value, source: `page ${String(line.page)}`, confidence };
  }
  return undefined;
}
