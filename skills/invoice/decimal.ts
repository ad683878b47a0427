import { Big } from 'big.js';

/** Decimal numbers of the model: plain notation, at most 18 digits before and 10 after the point. */
export const DECIMAL_PATTERN = /^-?\d{1,18}(\.\d{1,10})?$/;

/** The text as a decimal, or undefined when it is none. Binary floating point never touches an amount. */
export function decimalOf(text: string | undefined): Big | undefined {
  return text !== undefined && DECIMAL_PATTERN.test(text) ? new Big(text) : undefined;
}

/** Brings an XML or JSON number to the model's notation (`+5` is `5`, `1e3` is `1000`); undefined when it is none. */
export function decimalText(raw: string): string | undefined {
  const text = raw
    .trim()
    .replace(/^\+/, '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.$/, '');
  if (DECIMAL_PATTERN.test(text)) return text;
  if (!/^-?\d+(\.\d+)?e[+-]?\d{1,2}$/i.test(text)) return undefined;
  const written = new Big(text).toFixed();
  return DECIMAL_PATTERN.test(written) ? written : undefined;
}

/** The sum of decimals; texts that are none count as zero. */
export function sum(texts: readonly (string | undefined)[]): Big {
  return texts.reduce((total, text) => total.plus(decimalOf(text) ?? 0), new Big(0));
}

/** Rounded half up to two places, as EN 16931 rounds amounts. */
export function rounded(value: Big): Big {
  return value.round(2, Big.roundHalfUp);
}

/** At least two places, more when the value has them: `12.5` is `12.50`. */
export function amountText(value: Big): string {
  return value.toFixed(Math.max(2, decimalPlaces(value)));
}

function decimalPlaces(value: Big): number {
  return (value.toFixed().split('.')[1] ?? '').length;
}
