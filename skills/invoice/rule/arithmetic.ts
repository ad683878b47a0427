import { Big } from 'big.js';
import { amountText, decimalOf, rounded, sum } from '../decimal.js';
import type { Allowance, Found, Invoice } from '../invoice.js';
import type { Problem, Rule } from './rule.js';

/** Sums are exact in EN 16931; tax lines that are rounded apart may differ by a cent. */
const CENT = new Big('0.01');
/** The tolerance of the standard's own schematron for tax computed from its base. */
const UNIT = new Big(1);

/** The arithmetic of EN 16931 (BR-CO-10 to BR-CO-17). A sum with a part that the document leaves out is not judged. */
export const ARITHMETIC_RULES: readonly Rule[] = [
  total('BR-CO-10', 'lineTotal', 'the sum of the lines (Σ BT-131)', ({ lines }) =>
    lines.length === 0
      ? undefined
      : sum(lines.filter(({ kind }) => kind === 'detail').map(({ netAmount }) => netAmount)),
  ),
  total('BR-CO-11', 'allowanceTotal', 'the sum of the allowances (Σ BT-92)', (invoice) => adjustments(invoice, false)),
  total('BR-CO-12', 'chargeTotal', 'the sum of the charges (Σ BT-99)', (invoice) => adjustments(invoice, true)),
  total('BR-CO-13', 'taxExclusive', 'lines less allowances plus charges (BT-106 - BT-107 + BT-108)', ({ totals }) =>
    value(totals.lineTotal)
      ?.minus(value(totals.allowanceTotal) ?? 0)
      .plus(value(totals.chargeTotal) ?? 0),
  ),
  total('BR-CO-14', 'tax', 'the sum of the VAT lines (Σ BT-117)', ({ taxes }) =>
    taxes.length === 0 || taxes.some(({ taxAmount }) => taxAmount === undefined)
      ? undefined
      : sum(taxes.map(({ taxAmount }) => taxAmount)),
  ),
  total('BR-CO-15', 'taxInclusive', 'total without VAT plus VAT (BT-109 + BT-110)', ({ totals }) =>
    value(totals.taxExclusive)?.plus(value(totals.tax) ?? 0),
  ),
  total('BR-CO-16', 'payable', 'total with VAT less prepaid plus rounding (BT-112 - BT-113 + BT-114)', ({ totals }) =>
    value(totals.taxInclusive)
      ?.minus(value(totals.prepaid) ?? 0)
      .plus(value(totals.rounding) ?? 0),
  ),
  { id: 'BR-CO-17', scope: 'always', check: taxOfBase },
  { id: 'PEPPOL-EN16931-R120', scope: 'always', check: lineAmounts },
  { id: 'BR-27', scope: 'always', check: negativePrices },
];

function total(
  id: string,
  field: keyof Invoice['totals'],
  what: string,
  compute: (invoice: Invoice) => Big | undefined,
): Rule {
  return {
    id,
    scope: 'always',
    check: (invoice) => {
      const actual = value(invoice.totals[field]);
      const expected = compute(invoice);
      if (actual === undefined || expected === undefined || rounded(expected).eq(rounded(actual))) return [];
      const isRounding = expected.minus(actual).abs().lte(CENT);
      return [
        differing(`totals.${field}`, `The amount is not ${what}.`, { expected: rounded(expected), actual, isRounding }),
      ];
    },
  };
}

function adjustments({ allowances }: Invoice, isCharge: boolean): Big | undefined {
  const ours = allowances.filter((each: Allowance) => each.isCharge === isCharge);
  return ours.length === 0 ? undefined : sum(ours.map(({ amount }) => amount));
}

function taxOfBase({ taxes }: Invoice): readonly Problem[] {
  return taxes.flatMap(({ rate, taxableAmount, taxAmount }, at) => {
    const base = decimalOf(taxableAmount);
    const percent = decimalOf(rate);
    const actual = decimalOf(taxAmount);
    if (base === undefined || percent === undefined || actual === undefined) return [];
    const expected = rounded(base.times(percent).div(100));
    const difference = expected.minus(actual).abs();
    if (difference.lte(CENT)) return [];
    const message = 'The VAT is not its base times its rate (BT-116 × BT-119).';
    return [
      differing(`taxes[${String(at)}].taxAmount`, message, { expected, actual, isRounding: difference.lt(UNIT) }),
    ];
  });
}

/** Quantity times price plus charges less allowances; the price may be for several units (BT-149). */
function lineAmounts({ lines }: Invoice): readonly Problem[] {
  return lines.flatMap((line, at) => {
    const quantity = decimalOf(line.quantity);
    const price = decimalOf(line.unitPrice);
    const actual = decimalOf(line.netAmount);
    const per = decimalOf(line.priceQuantity) ?? new Big(1);
    if (quantity === undefined || price === undefined || actual === undefined || per.eq(0)) return [];
    const adjusted = quantity
      .times(price)
      .div(per)
      .plus(line.charges ?? 0)
      .minus(line.allowances ?? 0);
    const expected = rounded(adjusted);
    if (expected.minus(actual).abs().lte('0.02')) return [];
    const message = 'The net amount is not quantity times price plus charges less allowances.';
    return [differing(`lines[${String(at)}].netAmount`, message, { expected, actual, isRounding: true })];
  });
}

function negativePrices({ lines }: Invoice): readonly Problem[] {
  return lines.flatMap(({ unitPrice }, at) =>
    unitPrice?.startsWith('-') === true
      ? [{ path: `lines[${String(at)}].unitPrice`, message: 'The net price is negative (BT-146).', actual: unitPrice }]
      : [],
  );
}

function value(field: Found | undefined): Big | undefined {
  return decimalOf(field?.value);
}

function differing(
  path: string,
  message: string,
  { expected, actual, isRounding }: { readonly expected: Big; readonly actual: Big; readonly isRounding: boolean },
): Problem {
  const amounts = { path, message, expected: amountText(expected), actual: amountText(actual) };
  return isRounding ? { ...amounts, severity: 'warning' } : amounts;
}
