import { Big } from 'big.js';
import { amountText, decimalOf, rounded } from '../decimal.js';
import { present } from '../invoice.js';
import type { Allowance, TaxLine } from '../invoice.js';
import type { LabelledAmount } from './labelled-amount.js';
import { printedRate } from './printed-number.js';

/** A tax amount that its rate and base confirm. */
const PROVEN = 0.95;
const ALONE = 0.7;

/** The VAT per rate. With one rate, its base is the net total; with several, the amount that the line prints first. */
export function taxLinesOf(entries: readonly LabelledAmount[], net: string | undefined): readonly TaxLine[] {
  const rated = entries.filter(({ label }) => printedRate(label) !== undefined);
  const used = rated.length > 0 ? rated : entries.slice(-1);
  return used.flatMap(({ label, amounts, page }) => {
    const taxAmount = decimalOf(amounts.at(-1));
    if (taxAmount === undefined) return [];
    const rate = printedRate(label);
    const base = amounts.length > 1 ? amounts[0] : used.length === 1 ? net : undefined;
    return [
      {
        ...present({
          category: decimalOf(rate)?.gt(0) === true ? 'S' : undefined,
          rate,
          taxableAmount: base,
          taxAmount: amountText(taxAmount),
        }),
        source: `page ${String(page)}, "${label}"`,
        confidence: isProven(taxAmount, base, rate) ? PROVEN : ALONE,
      },
    ];
  });
}

function isProven(tax: Big, base: string | undefined, rate: string | undefined): boolean {
  const net = decimalOf(base);
  const percent = decimalOf(rate);
  if (net === undefined || percent === undefined) return false;
  return rounded(net.times(percent).div(100)).minus(tax).abs().lte('0.01');
}

/** Discounts and charges among the sums. */
export function adjustmentsOf(kinds: {
  readonly allowance: readonly LabelledAmount[];
  readonly charge: readonly LabelledAmount[];
}): readonly Allowance[] {
  return [
    ...kinds.allowance.map((entry) => adjustment(entry, false)),
    ...kinds.charge.map((entry) => adjustment(entry, true)),
  ];
}

function adjustment({ label, amounts, page }: LabelledAmount, isCharge: boolean): Allowance {
  const amount = (decimalOf(amounts.at(-1)) ?? new Big(0)).abs();
  const source = `page ${String(page)}, "${label}"`;
  return { isCharge, amount: amountText(amount), reason: label, source, confidence: ALONE };
}
