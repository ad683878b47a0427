import { isoDate } from '../xml/xml-field.js';
import { folded } from './folded.js';

/** Which comes first in `03/04/2026`. */
export type DateOrder = 'day-first' | 'month-first';

/** Starts of the months' names in English, German and French, folded. The order within a month does not matter. */
const MONTHS: readonly (readonly string[])[] = [
  ['jan'],
  ['feb', 'fev'],
  ['mar', 'maer', 'mrz'],
  ['apr', 'avr'],
  ['may', 'mai'],
  ['jun', 'juin'],
  ['jul', 'juil'],
  ['aug', 'aou'],
  ['sep'],
  ['oct', 'okt'],
  ['nov'],
  ['dec', 'dez'],
];

const NUMERIC = /(?<!\d)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4}|\d{2})(?!\d)/u;
const YEAR_FIRST = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/u;
const DAY_NAME = /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.)?[\s-]+(?:of\s+)?([a-z]{3,10})\.?,?[\s-]+(\d{4})(?!\d)/u;
const NAME_DAY = /([a-z]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/u;

/** The first date in a text, as ISO 8601. */
export function printedDate(text: string, order: DateOrder): string | undefined {
  const plain = folded(text);
  const [, year, month, day] = YEAR_FIRST.exec(plain) ?? [];
  if (year !== undefined) return iso(year, month, day);
  const match = NUMERIC.exec(plain);
  if (match !== null) return numeric(match, order);
  const [, dayBefore, name, yearAfter] = DAY_NAME.exec(plain) ?? [];
  if (name !== undefined) return iso(yearAfter, monthOf(name), dayBefore);
  const [, nameBefore, dayAfter, yearEnd] = NAME_DAY.exec(plain) ?? [];
  return nameBefore === undefined ? undefined : iso(yearEnd, monthOf(nameBefore), dayAfter);
}

/** Whether the text's date reads differently when day and month are swapped. */
export function isAmbiguousDate(text: string): boolean {
  const plain = folded(text);
  if (YEAR_FIRST.test(plain)) return false;
  const [whole, first, second] = NUMERIC.exec(plain) ?? [];
  return whole?.includes('/') === true && Number(first) <= 12 && Number(second) <= 12 && first !== second;
}

/** The order that dates with slashes in these texts show: a part above 12 can only be the day. */
export function dateOrderOf(texts: readonly string[], fallback: DateOrder): DateOrder {
  for (const text of texts) {
    const [whole, first, second] = NUMERIC.exec(folded(text)) ?? [];
    if (whole?.includes('/') !== true) continue;
    if (Number(first) > 12) return 'day-first';
    if (Number(second) > 12) return 'month-first';
  }
  return fallback;
}

/** Only dates with slashes are ever written month first; `05.03.2026` and `05-03-2026` are not. */
function numeric([whole, first, second, year]: RegExpExecArray, order: DateOrder): string | undefined {
  const fullYear = year?.length === 2 ? `20${year}` : year;
  return order === 'month-first' && whole.includes('/') ? iso(fullYear, first, second) : iso(fullYear, second, first);
}

function monthOf(name: string): string | undefined {
  const at = MONTHS.findIndex((starts) => starts.some((start) => name.startsWith(start)));
  return at < 0 ? undefined : String(at + 1);
}

function iso(year: string | undefined, month: string | undefined, day: string | undefined): string | undefined {
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return isoDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}
