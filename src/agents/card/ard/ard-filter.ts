import type { JsonObject } from '@parley/protocol/model/json.js';

/** Constraints of a query: an agent matches if it has one of the values of every term. */
export type ArdFilter<Term extends string = string> = ReadonlyMap<Term, readonly string[]>;

const [MAX_TERMS, MAX_VALUES] = [16, 50];
const TERM = /^\s*([A-Za-z]+)\s*=\s*(?:'([^']*)'|"([^"]*)")\s*$/;

/** The filter of a query: term → value or values (ARD 0.91 §5.3.1). @returns the fault, as a text */
export function readFilter<Term extends string>(value: JsonObject, terms: readonly Term[]): ArdFilter<Term> | string {
  const named = Object.entries(value);
  if (named.length > MAX_TERMS) return `has more than ${String(MAX_TERMS)} terms`;
  const filter = new Map<Term, readonly string[]>();
  for (const [name, wanted] of named) {
    const term = terms.find((one) => one === name);
    if (term === undefined) return unknownTerm(name, terms);
    const values: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    const texts = values.filter((one) => typeof one === 'string');
    if (texts.length < values.length || texts.length === 0 || texts.length > MAX_VALUES) {
      return `${name} must be a text or up to ${String(MAX_VALUES)} texts`;
    }
    filter.set(term, texts);
  }
  return filter;
}

/** The filter of a list (§5.3.5): `tags = 'finance' AND publisher = 'acme.com'`. @returns the fault, as a text */
export function readFilterText<Term extends string>(text: string, terms: readonly Term[]): ArdFilter<Term> | string {
  const filter = new Map<Term, readonly string[]>();
  for (const part of text.split(/\s+AND\s+/).slice(0, MAX_TERMS + 1)) {
    const [, name = '', single, double] = TERM.exec(part) ?? [];
    const value = single ?? double;
    if (value === undefined) return `cannot be read at "${part.slice(0, 40)}": write term = 'value', joined by AND`;
    const term = terms.find((one) => one === name);
    if (term === undefined) return unknownTerm(name, terms);
    if (filter.has(term)) return `has ${term} twice`;
    filter.set(term, [value]);
  }
  return filter.size > MAX_TERMS ? `has more than ${String(MAX_TERMS)} terms` : filter;
}

function unknownTerm(name: string, terms: readonly string[]): string {
  return `has the unknown term ${name.slice(0, 40)}; known are ${terms.join(', ')}`;
}
