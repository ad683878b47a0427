import { decimalText } from '../decimal.js';
import { CURRENCY_CODES } from './currency-signs.js';

export type DecimalMark = '.' | ',';

const NUMBER = String.raw`\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d{1,4})?`;
const CURRENCY = String.raw`US\$|[€$£¥]|Fr\.|kr|zł|${CURRENCY_CODES}`;
const AMOUNT = new RegExp(
  String.raw`^(?<before>${CURRENCY})?\s*(?<open>[-+(])?\s*(?:${CURRENCY})?\s*(?<number>${NUMBER})\s*(?<close>[-)])?\s*(?<after>${CURRENCY})?\s*(?<close2>-)?$`,
  'u',
);

/** Spaces and apostrophes that print programs put between thousands, brought to one each; every minus to `-`. */
function tidy(text: string): string {
  return text
    .replace(/\s/gu, ' ')
    .replace(/[’‘´`]/gu, "'")
    .replace(/[−–]/gu, '-')
    .trim();
}

/** A whole text that is an amount, as a decimal: `1.234,56 €`, `$1,234.56`, `(12.00)`, `1 234,56`. */
export function printedAmount(text: string, mark: DecimalMark): string | undefined {
  const { number, open, close, close2 } = AMOUNT.exec(tidy(text))?.groups ?? {};
  if (number === undefined) return undefined;
  const negative = open === '-' || open === '(' || close === '-' || close2 === '-';
  return decimalText(`${negative ? '-' : ''}${plain(number, mark)}`);
}

/** More characters than an amount has with its currency and all the spaces between. */
const MAX_AMOUNT = 40;

/** The amount at the end of a text, and the text before it: `Total due: 12.00 EUR`. */
export function trailingAmount(text: string, mark: DecimalMark): { label: string; amount: string } | undefined {
  const tidied = tidy(text);
  for (let at = Math.max(0, tidied.length - MAX_AMOUNT); at < tidied.length; at += 1) {
    const startsWord = at === 0 || /[\s:=]/u.test(tidied.charAt(at - 1));
    const amount = startsWord ? printedAmount(tidied.slice(at), mark) : undefined;
    if (amount !== undefined) return { label: tidied.slice(0, at).replace(/[\s:=]+$/u, ''), amount };
  }
  return undefined;
}

/** A percentage anywhere in a text: `VAT (20 %)`. */
export function printedRate(text: string): string | undefined {
  const number = /(\d{1,2}(?:[.,]\d{1,3})?)\s*%/u.exec(text)?.[1];
  return number === undefined ? undefined : decimalText(number.replace(',', '.'));
}

/** A number of up to four decimals without currency, such as a quantity: `2`, `1,5`, `3 Stk.`. */
export function printedQuantity(text: string, mark: DecimalMark): { quantity: string; unit?: string } | undefined {
  const match = new RegExp(`^(-?(?:${NUMBER}))\\s*([\\p{L}.²³]{1,12})?$`, 'u').exec(tidy(text));
  const quantity = match?.[1] === undefined ? undefined : decimalText(plain(match[1], mark));
  if (quantity === undefined) return undefined;
  return { quantity, ...(match?.[2] === undefined ? {} : { unit: match[2] }) };
}

/** The mark before the decimals that the document's own amounts show; `fallback` when none does. */
export function decimalMarkOf(texts: readonly string[], fallback: DecimalMark): DecimalMark {
  let commas = 0;
  let points = 0;
  for (const text of texts) {
    for (const [, mark] of tidy(text).matchAll(/(?<![\d.,])\d{1,3}(?:[.,' ]?\d{3})*([.,])\d{2}(?![\d.,]*\d)/gu)) {
      if (mark === ',') commas += 1;
      else points += 1;
    }
  }
  if (commas === points) return fallback;
  return commas > points ? ',' : '.';
}

/** Printed digits to plain notation. One mark before exactly three digits is a thousands mark unless it is the document's decimal mark. */
function plain(number: string, mark: DecimalMark): string {
  const digits = number.replace(/[' ]/gu, '');
  const marks = digits.match(/[.,]/gu) ?? [];
  const last = marks.at(-1);
  if (last === undefined) return digits;
  const decimals = digits.length - digits.lastIndexOf(last) - 1;
  const isRepeated = marks.filter((each) => each === last).length > 1;
  const isThousands = isRepeated || (decimals === 3 && new Set(marks).size === 1 && last !== mark);
  if (isThousands) return digits.replace(/[.,]/gu, '');
  const at = digits.lastIndexOf(last);
  return `${digits.slice(0, at).replace(/[.,]/gu, '')}.${digits.slice(at + 1)}`;
}
