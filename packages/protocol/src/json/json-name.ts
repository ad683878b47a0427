import type { JsonObject } from '../model/json.js';

/** The JSON text of a name that a peer has chosen for its request: a string, or a number with the digits as they came. */
export type JsonName = string;

/** Characters of a name. */
export const MAX_NAME_LENGTH = 256;

/**
 * The text of a name that was parsed from `json`; undefined for anything else. Numbers are copied from the source: a double keeps neither
 * 1795600000000000000 nor 1.0 as they were written. @param path the members that lead to it, the last of several with one name counting
 */
export function nameOf(value: unknown, json: Buffer, path: readonly string[]): JsonName | undefined {
  if (typeof value === 'string') return value.length <= MAX_NAME_LENGTH ? JSON.stringify(value) : undefined;
  if (typeof value !== 'number') return undefined;
  const text = numberAt(json, path);
  return text.length <= MAX_NAME_LENGTH ? text : undefined;
}

/** An object as JSON, with one more member whose value is a JSON text. */
export function jsonWith(object: JsonObject, name: string, text: string): string {
  const others = JSON.stringify(object).slice(1, -1);
  return `{${others}${others === '' ? '' : ','}${JSON.stringify(name)}:${text}}`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;

/** The text of the number at a path of members, in JSON that has been parsed. */
function numberAt(json: Buffer, path: readonly string[]): string {
  let depth = 0;
  /** How many members of the path enclose the position. */
  let within = 0;
  let found = '';
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === within) within = Math.max(0, within - 1);
    }
    if (byte !== QUOTE) continue;
    const end = endOfString(json, at + 1);
    const colon = afterSpaces(json, end + 1);
    if (depth === within + 1 && json[colon] === COLON && isText(json.subarray(at, end + 1), path[within])) {
      const value = afterSpaces(json, colon + 1);
      if (within === path.length - 1) found = numberFrom(json, value);
      else if (json[value] === OPEN_OBJECT) within += 1;
    }
    at = end;
  }
  return found;
}

function isText(quoted: Buffer, text: string | undefined): boolean {
  return JSON.parse(quoted.toString()) === text;
}

function endOfString(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

function afterSpaces(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && (json[at] ?? 0) <= 0x20) at += 1;
  return at;
}

function numberFrom(json: Buffer, from: number): string {
  let end = from;
  while (end < json.length && /[\d.eE+-]/.test(String.fromCharCode(json[end] ?? 0))) end += 1;
  return json.toString('latin1', from, end);
}
