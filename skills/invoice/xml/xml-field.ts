import { decimalText } from '../decimal.js';
import type { Found } from '../invoice.js';
import { elementsAt, textAt } from './xml-element.js';
import type { XmlElement } from './xml-element.js';

/** Longest text that is kept of a field; the rest is cut. */
const MAX_TEXT = 2000;

/** The first of these paths that has text. Structured data is certain, so its confidence is 1. */
export function textField(from: XmlElement | undefined, ...paths: readonly string[]): Found | undefined {
  for (const path of paths) {
    const element = elementsAt(from, path).find(({ text }) => text !== '');
    if (element !== undefined) return { value: element.text.slice(0, MAX_TEXT), source: element.path, confidence: 1 };
  }
  return undefined;
}

/** The first of these paths that holds a decimal number. */
export function amountField(from: XmlElement | undefined, ...paths: readonly string[]): Found | undefined {
  for (const path of paths) {
    for (const element of elementsAt(from, path)) {
      const value = decimalText(element.text);
      if (value !== undefined) return { value, source: element.path, confidence: 1 };
    }
  }
  return undefined;
}

/** A date as UBL (`2026-03-31`) and CII (`20260331`, with or without a time) write it. */
export function dateField(from: XmlElement | undefined, ...paths: readonly string[]): Found | undefined {
  const field = textField(from, ...paths);
  const value = isoDate(field?.value);
  return field === undefined || value === undefined ? undefined : { ...field, value };
}

export function amountAt(from: XmlElement | undefined, path: string): string | undefined {
  const text = textAt(from, path);
  return text === undefined ? undefined : decimalText(text);
}

/** The date at the start of an ISO 8601 text (extended or basic), when it is a day that exists. */
export function isoDate(text: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text ?? '') ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const written = `${year}-${month}-${day}`;
  const instant = Date.parse(`${written}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(written) ? written : undefined;
}
