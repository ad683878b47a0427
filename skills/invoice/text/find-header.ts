import { present } from '../invoice.js';
import type { Found, Invoice } from '../invoice.js';
import {
  DELIVERY_DATE_LABELS,
  DUE_DATE_LABELS,
  ISSUE_DATE_LABELS,
  NUMBER_LABELS,
  ORDER_LABELS,
  TITLES,
  startsWith,
} from './labels.js';
import type { Language } from './labels.js';
import { labelledValue, sourceOf } from './labelled-value.js';
import type { Line } from './layout.js';
import { isAmbiguousDate, printedDate } from './printed-date.js';
import type { DateOrder } from './printed-date.js';

/** Reading conventions that the document states itself. */
export interface Reading {
  readonly lines: readonly Line[];
  readonly languages: readonly Language[];
  readonly dateOrder: DateOrder;
}

type Header = Pick<Invoice, 'number' | 'issueDate' | 'dueDate' | 'deliveryDate' | 'purchaseOrder'>;

/** Number and dates, by their labels. */
export function findHeader(reading: Reading): Header {
  const { lines, languages } = reading;
  return present({
    number: number(lines, languages),
    issueDate: date(reading, ISSUE_DATE_LABELS) ?? firstDate(reading),
    dueDate: date(reading, DUE_DATE_LABELS),
    deliveryDate: date(reading, DELIVERY_DATE_LABELS),
    purchaseOrder: plain(labelledValue(lines, startsWith(ORDER_LABELS, languages), identifier)),
  });
}

function number(lines: readonly Line[], languages: readonly Language[]): Found | undefined {
  return (
    plain(labelledValue(lines, startsWith(NUMBER_LABELS, languages), identifier)) ?? titledNumber(lines, languages)
  );
}

/** `Invoice 2026-001`: a title with the number behind it. */
function titledNumber(lines: readonly Line[], languages: readonly Language[]): Found | undefined {
  for (const title of startsWith(TITLES, languages)) {
    for (const cell of lines.flatMap(({ cells }) => cells)) {
      const match = title.exec(cell.folded);
      const value = match === null ? undefined : identifier(cell.text.slice(match[0].length));
      if (match !== null && value !== undefined) {
        return { value, source: sourceOf(cell, match[0]), confidence: 0.75 };
      }
    }
  }
  return undefined;
}

function date(reading: Reading, labels: Parameters<typeof startsWith>[0]): Found | undefined {
  const found = labelledValue(reading.lines, startsWith(labels, reading.languages), (text) =>
    beginsWithDate(text) ? printedDate(text, reading.dateOrder) : undefined,
  );
  return found === undefined ? undefined : dated(found, found.text);
}

/** The first date of the document, when none is labelled as the date of issue. */
function firstDate({ lines, dateOrder }: Reading): Found | undefined {
  for (const cell of lines.flatMap(({ cells }) => cells)) {
    const value = cell.text.length > 60 ? undefined : printedDate(cell.text, dateOrder);
    if (value !== undefined) return dated({ value, source: sourceOf(cell, cell.text), confidence: 0.5 }, cell.text);
  }
  return undefined;
}

/** A date follows its label at once, but for a word like `am` or `Friday,`: `Invoice date of the order: …` is another date. */
function beginsWithDate(text: string): boolean {
  return text.length <= 60 && /^[\p{L}\s,.]{0,14}\d/u.test(text);
}

/** A date that could be read both ways is half as sure. */
function dated({ value, source, confidence }: Found, text: string): Found {
  return { value, source, confidence: isAmbiguousDate(text) ? Math.min(confidence, 0.6) : confidence };
}

function plain(found: Found | undefined): Found | undefined {
  return found === undefined ? undefined : { value: found.value, source: found.source, confidence: found.confidence };
}

/** A document's number at the start of a text: it has a digit and is no date of its own. */
function identifier(text: string): string | undefined {
  const token = /^#?\s*([A-Z]{1,6}(?: \d[\d./_-]*)+|[\p{L}\d][\p{L}\d./_-]*(?: ?\/ ?[\p{L}\d./_-]+)?)/u
    .exec(text)?.[1]
    ?.replace(/[.,;:]+$/u, '');
  if (token === undefined || !/\d/u.test(token) || token.length > 40) return undefined;
  return /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/u.test(token) ? undefined : token;
}
