import { decimalOf } from '../decimal.js';
import type { Found, Invoice } from '../invoice.js';
import { isIban } from '../text/identity.js';
import type { Problem, Rule } from './rule.js';

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const VAT_CATEGORIES = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'L', 'M', 'B'];

/** Amounts with at most two decimals, by rule (BR-DEC-*). */
const TOTALS: readonly (readonly [string, keyof Invoice['totals']])[] = [
  ['BR-DEC-09', 'lineTotal'],
  ['BR-DEC-10', 'allowanceTotal'],
  ['BR-DEC-11', 'chargeTotal'],
  ['BR-DEC-12', 'taxExclusive'],
  ['BR-DEC-13', 'tax'],
  ['BR-DEC-14', 'taxInclusive'],
  ['BR-DEC-16', 'prepaid'],
  ['BR-DEC-17', 'rounding'],
  ['BR-DEC-18', 'payable'],
];

/** Code lists, decimals, prefixes and check digits. */
export const CODE_RULES: readonly Rule[] = [
  { id: 'BR-CL-01', scope: 'form', check: typeCode },
  { id: 'BR-CL-04', scope: 'always', check: currency },
  { id: 'BR-CL-14', scope: 'form', check: countries },
  { id: 'BR-CL-17', scope: 'form', check: categories },
  { id: 'BR-CO-09', scope: 'form', check: prefixes },
  ...TOTALS.map(totalDecimals),
  {
    id: 'BR-DEC-19',
    scope: 'form',
    check: ({ taxes }) =>
      columnDecimals(
        'taxes',
        'taxableAmount',
        taxes.map((tax) => tax.taxableAmount),
      ),
  },
  {
    id: 'BR-DEC-20',
    scope: 'form',
    check: ({ taxes }) =>
      columnDecimals(
        'taxes',
        'taxAmount',
        taxes.map((tax) => tax.taxAmount),
      ),
  },
  {
    id: 'BR-DEC-23',
    scope: 'form',
    check: ({ lines }) =>
      columnDecimals(
        'lines',
        'netAmount',
        lines.map((line) => line.netAmount),
      ),
  },
  { id: 'PARLEY-DATES', scope: 'always', check: dates },
  { id: 'PARLEY-IBAN', scope: 'always', check: iban },
];

function typeCode({ typeCode: code }: Invoice): readonly Problem[] {
  return judged('typeCode', code, (value) => /^\d{1,3}$/u.test(value), 'The type code is none of UNTDID 1001 (BT-3).');
}

function currency({ currency: code }: Invoice): readonly Problem[] {
  return judged('currency', code, (value) => CURRENCIES.has(value), 'The currency is none of ISO 4217 (BT-5).');
}

function countries({ seller, buyer }: Invoice): readonly Problem[] {
  const isCountry = (value: string): boolean => /^[A-Z]{2}$/u.test(value) && isRegion(value);
  const message = 'The country is none of ISO 3166-1 (BT-40, BT-55).';
  return [
    ...judged('seller.country', seller.country, isCountry, message),
    ...judged('buyer.country', buyer.country, isCountry, message),
  ];
}

/** Made when it is needed: the names take longer to load than all the rest of the rules. */
function isRegion(code: string): boolean {
  return new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }).of(code) !== undefined;
}

/** A VAT identifier begins with its country; Greece may write EL, Northern Ireland XI. */
function prefixes({ seller, buyer }: Invoice): readonly Problem[] {
  const hasPrefix = (value: string): boolean =>
    /^(?:EL|XI)/u.test(value) || (/^[A-Z]{2}/u.test(value) && isRegion(value.slice(0, 2)));
  const message = 'The VAT identifier does not begin with a country (BT-31, BT-48).';
  return [
    ...judged('seller.vatId', seller.vatId, hasPrefix, message),
    ...judged('buyer.vatId', buyer.vatId, hasPrefix, message),
  ];
}

function categories({ taxes, lines }: Invoice): readonly Problem[] {
  const message = 'The VAT category is none of UNTDID 5305 (BT-118, BT-151).';
  const wrong = (code: string | undefined): code is string => code !== undefined && !VAT_CATEGORIES.includes(code);
  return [
    ...taxes.flatMap(({ category }, at) =>
      wrong(category) ? [{ path: `taxes[${String(at)}].category`, message, actual: category }] : [],
    ),
    ...lines.flatMap(({ taxCategory }, at) =>
      wrong(taxCategory) ? [{ path: `lines[${String(at)}].taxCategory`, message, actual: taxCategory }] : [],
    ),
  ];
}

function totalDecimals([id, field]: (typeof TOTALS)[number]): Rule {
  return { id, scope: 'form', check: ({ totals }) => decimals(`totals.${field}`, totals[field]?.value) };
}

function columnDecimals(list: string, field: string, amounts: readonly (string | undefined)[]): readonly Problem[] {
  return amounts.flatMap((amount, at) => decimals(`${list}[${String(at)}].${field}`, amount));
}

function decimals(path: string, amount: string | undefined): readonly Problem[] {
  const value = decimalOf(amount);
  if (amount === undefined || value === undefined || value.round(2).eq(value)) return [];
  return [{ path, message: 'The amount has more than two decimals.', actual: amount }];
}

function dates({ issueDate, dueDate }: Invoice): readonly Problem[] {
  // ISO 8601 days compare as text.
  if (issueDate === undefined || dueDate === undefined || dueDate.value >= issueDate.value) return [];
  const message = 'The invoice is due before it was issued.';
  return [{ path: 'dueDate', message, actual: dueDate.value, severity: 'warning' }];
}

/** An account of the form of an IBAN must have its check digits right: a wrong one is a typing error or a forgery. */
function iban({ payment }: Invoice): readonly Problem[] {
  const account = payment.iban?.value.replace(/\s/gu, '').toUpperCase();
  if (account === undefined || !/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/u.test(account) || isIban(account)) return [];
  const message = "The IBAN's check digits are wrong (ISO 13616).";
  return [{ path: 'payment.iban', message, actual: account, severity: 'warning' }];
}

function judged(
  path: string,
  field: Found | undefined,
  isRight: (value: string) => boolean,
  message: string,
): readonly Problem[] {
  return field === undefined || isRight(field.value) ? [] : [{ path, message, actual: field.value }];
}
