import { decimalText } from '../decimal.js';
import type { Found } from '../invoice.js';
import { printedAmount } from '../text/printed-number.js';
import { printedDate } from '../text/printed-date.js';
import { isoDate } from '../xml/xml-field.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A value of a JSON document with its location, as a JSON pointer (RFC 6901). */
export interface JsonNode {
  readonly value: unknown;
  readonly pointer: string;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first member with one of these names. Case and separators do not matter: `invoice_number` is `invoiceNumber`. */
export function member(from: JsonNode | undefined, ...names: readonly string[]): JsonNode | undefined {
  if (from === undefined || !isObject(from.value)) return undefined;
  const entries = entriesBySpelling(from.value);
  for (const name of names) {
    const entry = entries.get(spelled(name));
    if (entry !== undefined) return { value: entry[1], pointer: `${from.pointer}/${escaped(entry[0])}` };
  }
  return undefined;
}

type Entries = ReadonlyMap<string, readonly [key: string, value: unknown]>;

const BY_SPELLING = new WeakMap<JsonObject, Entries>();

/** The first member of each spelling that has a value; made once for each object, which is asked for many names. */
function entriesBySpelling(value: JsonObject): Entries {
  const known = BY_SPELLING.get(value);
  if (known !== undefined) return known;
  const entries = new Map<string, readonly [string, unknown]>();
  for (const entry of Object.entries(value)) {
    const name = spelled(entry[0]);
    if (entry[1] !== null && entry[1] !== '' && !entries.has(name)) entries.set(name, entry);
  }
  BY_SPELLING.set(value, entries);
  return entries;
}

/** The elements of an array; none for anything else. */
export function elements(from: JsonNode | undefined): readonly JsonNode[] {
  if (from === undefined || !Array.isArray(from.value)) return [];
  return from.value.map((value: unknown, at) => ({ value, pointer: `${from.pointer}/${String(at)}` }));
}

/** A text or number; a field of our own model (`value`, `source`, `confidence`) keeps its own certainty. */
export function textOf(from: JsonNode | undefined): Found | undefined {
  if (from === undefined) return undefined;
  if (isObject(from.value)) return ownField(from.value) ?? undefined;
  const text = scalar(from.value);
  return text === undefined ? undefined : { value: text, source: from.pointer, confidence: 1 };
}

/** An amount: a number, a decimal text, or a printed amount, of which the marks are less sure. */
export function amountOf(from: JsonNode | undefined): Found | undefined {
  const field = textOf(from);
  if (field === undefined) return undefined;
  const exact = decimalText(field.value);
  if (exact !== undefined) return { ...field, value: exact };
  const printed = printedAmount(field.value, '.');
  return printed === undefined ? undefined : { ...field, value: printed, confidence: Math.min(field.confidence, 0.7) };
}

/** A date: ISO 8601, or a printed one, of which the order is less sure. */
export function dateOf(from: JsonNode | undefined): Found | undefined {
  const field = textOf(from);
  if (field === undefined) return undefined;
  const exact = isoDate(field.value);
  if (exact !== undefined) return { ...field, value: exact };
  const printed = printedDate(field.value, 'day-first');
  return printed === undefined ? undefined : { ...field, value: printed, confidence: Math.min(field.confidence, 0.6) };
}

function ownField({ value, source, confidence }: JsonObject): Found | undefined {
  const text = scalar(value);
  if (text === undefined || typeof source !== 'string' || typeof confidence !== 'number') return undefined;
  return { value: text, source, confidence: Math.min(1, Math.max(0, confidence)) };
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim().slice(0, 2000);
  return text === '' ? undefined : text;
}

function spelled(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/gu, '');
}

function escaped(key: string): string {
  return key.replace(/~/gu, '~0').replace(/\//gu, '~1');
}
