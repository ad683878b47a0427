import { Big } from 'big.js';
import { amountText, decimalOf } from '../decimal.js';
import type { Invoice } from '../invoice.js';
import type { Problem, Rule } from './rule.js';

/** Requirements of EN 16931 for a VAT category (UNTDID 5305). */
interface Category {
  readonly code: string;
  /** The rules' family: `BR-S-05`. */
  readonly family: string;
  readonly rate: 'positive' | 'zero' | 'any';
  /** Whether the VAT line must say why nothing is charged. */
  readonly needsReason: boolean;
}

const CATEGORIES: readonly Category[] = [
  { code: 'S', family: 'BR-S', rate: 'positive', needsReason: false },
  { code: 'Z', family: 'BR-Z', rate: 'zero', needsReason: false },
  { code: 'E', family: 'BR-E', rate: 'zero', needsReason: true },
  { code: 'AE', family: 'BR-AE', rate: 'zero', needsReason: true },
  { code: 'K', family: 'BR-IC', rate: 'zero', needsReason: true },
  { code: 'G', family: 'BR-G', rate: 'zero', needsReason: true },
  { code: 'O', family: 'BR-O', rate: 'zero', needsReason: true },
  { code: 'L', family: 'BR-AF', rate: 'any', needsReason: false },
  { code: 'M', family: 'BR-AG', rate: 'any', needsReason: false },
];

/** The schematron's own tolerance; below it, a difference is a rounding. */
const UNIT = new Big(1);
const CENT = new Big('0.02');

/** The rules of the VAT categories (BR-S-*, BR-Z-*, BR-E-*, BR-AE-*, BR-IC-*, BR-G-*, BR-O-*, BR-AF-*, BR-AG-*). */
export const VAT_CATEGORY_RULES: readonly Rule[] = CATEGORIES.flatMap((category) => [
  { id: `${category.family}-01`, scope: 'form' as const, check: (invoice: Invoice) => breakdown(invoice, category) },
  { id: `${category.family}-02`, scope: 'form' as const, check: (invoice: Invoice) => sellerId(invoice, category) },
  { id: `${category.family}-05`, scope: 'form' as const, check: (invoice: Invoice) => lineRates(invoice, category) },
  { id: `${category.family}-08`, scope: 'form' as const, check: (invoice: Invoice) => bases(invoice, category) },
  { id: `${category.family}-09`, scope: 'form' as const, check: (invoice: Invoice) => zeroTax(invoice, category) },
  { id: `${category.family}-10`, scope: 'form' as const, check: (invoice: Invoice) => reasons(invoice, category) },
]);

function breakdown({ lines, allowances, taxes }: Invoice, { code }: Category): readonly Problem[] {
  const isUsed = [...lines, ...allowances].some(({ taxCategory }) => taxCategory === code);
  const isThere = taxes.some(({ category }) => category === code);
  return isUsed && !isThere
    ? [{ path: 'taxes', message: `Category ${code} is used, but has no VAT line (BG-23).` }]
    : [];
}

/** A seller that charges or exempts VAT has a number for it; outside of VAT (O) none is needed. */
function sellerId({ lines, seller }: Invoice, { code }: Category): readonly Problem[] {
  const isUsed = code !== 'O' && lines.some(({ taxCategory }) => taxCategory === code);
  const message = `Category ${code} needs the seller's VAT identifier or tax number (BT-31, BT-32).`;
  return isUsed && (seller.vatId ?? seller.taxId) === undefined ? [{ path: 'seller.vatId', message }] : [];
}

function lineRates({ lines }: Invoice, { code, rate }: Category): readonly Problem[] {
  return lines.flatMap(({ taxCategory, taxRate }, at) => {
    const percent = decimalOf(taxRate);
    const isWrong = percent !== undefined && (rate === 'positive' ? percent.lte(0) : rate === 'zero' && !percent.eq(0));
    if (taxCategory !== code || !isWrong) return [];
    const message = `The rate of category ${code} must be ${rate === 'zero' ? 'zero' : 'above zero'} (BT-152).`;
    return [{ path: `lines[${String(at)}].taxRate`, message, actual: percent.toFixed() }];
  });
}

/** The base of a VAT line is the sum of the amounts taxed so: lines and charges less allowances. */
function bases(invoice: Invoice, { code, rate }: Category): readonly Problem[] {
  if (invoice.lines.length === 0) return [];
  const key = (of: string | undefined): string => (rate === 'zero' ? '' : (decimalOf(of)?.toFixed() ?? ''));
  const sums = sumsOf(invoice, code, key);
  return invoice.taxes.flatMap((tax, at) => {
    const actual = decimalOf(tax.taxableAmount);
    if (tax.category !== code || actual === undefined) return [];
    const expected = sums.get(key(tax.rate)) ?? new Big(0);
    const difference = expected.minus(actual).abs();
    if (difference.lte(CENT)) return [];
    const problem = {
      path: `taxes[${String(at)}].taxableAmount`,
      message: `The base is not the sum of the lines, charges and allowances of category ${code} (BT-116).`,
      expected: amountText(expected),
      actual: amountText(actual),
    };
    return [difference.lt(UNIT) ? { ...problem, severity: 'warning' as const } : problem];
  });
}

/** Amounts taxed by a category, by `key` of the rate, in one pass: there may be ten thousand lines. */
function sumsOf(
  { lines, allowances }: Invoice,
  code: string,
  key: (rate: string | undefined) => string,
): ReadonlyMap<string, Big> {
  const sums = new Map<string, Big>();
  const add = (rate: string | undefined, amount: Big): void => {
    sums.set(key(rate), (sums.get(key(rate)) ?? new Big(0)).plus(amount));
  };
  for (const { kind, taxCategory, taxRate, netAmount } of lines) {
    if (kind === 'detail' && taxCategory === code) add(taxRate, decimalOf(netAmount) ?? new Big(0));
  }
  for (const { isCharge, taxCategory, taxRate, amount } of allowances) {
    const value = decimalOf(amount) ?? new Big(0);
    if (taxCategory === code) add(taxRate, isCharge ? value : value.neg());
  }
  return sums;
}

function zeroTax({ taxes }: Invoice, { code, rate }: Category): readonly Problem[] {
  return taxes.flatMap(({ category, taxAmount }, at) => {
    const amount = decimalOf(taxAmount);
    if (rate !== 'zero' || category !== code || amount === undefined || amount.eq(0)) return [];
    const message = `No VAT may be charged in category ${code} (BT-117).`;
    return [{ path: `taxes[${String(at)}].taxAmount`, message, expected: '0.00', actual: amountText(amount) }];
  });
}

function reasons({ taxes }: Invoice, { code, needsReason }: Category): readonly Problem[] {
  return taxes.flatMap(({ category, exemptionReason }, at) => {
    const path = `taxes[${String(at)}].exemptionReason`;
    if (category !== code) return [];
    if (needsReason && exemptionReason === undefined) {
      return [{ path, message: `Category ${code} needs the reason why no VAT is charged (BT-120, BT-121).` }];
    }
    const mustNot = !needsReason && exemptionReason !== undefined;
    return mustNot ? [{ path, message: `Category ${code} must not have an exemption reason (BT-120).` }] : [];
  });
}
