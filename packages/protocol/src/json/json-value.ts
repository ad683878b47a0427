import type { JsonObject } from '../model/json.js';

/** Whether a parsed JSON value is an object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of several spellings of a member that is set; null is unset (D01-09, A2A-JSON-07). */
export function member(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Like `member`, but an empty text is unset too: writers that print defaults send it for an absent member. */
export function nonEmpty(object: JsonObject, ...names: readonly string[]): unknown {
  return firstBut((value) => value === '', object, names);
}

/** The same of a list: an empty one is unset. */
export function nonEmptyList(object: JsonObject, ...names: readonly string[]): unknown {
  return firstBut((value) => Array.isArray(value) && value.length === 0, object, names);
}

function firstBut(isEmpty: (value: unknown) => boolean, object: JsonObject, names: readonly string[]): unknown {
  return names.map((name) => member(object, name)).find((value) => value !== undefined && !isEmpty(value));
}

/** A copy that has only the members that are set, so that nothing reads as present that the caller did not send. */
export function withoutUnset(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Translates the entries of an array; any other value is passed on for validation to refuse. */
export function mapArray(value: unknown, translate: (entry: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(translate) : value;
}
