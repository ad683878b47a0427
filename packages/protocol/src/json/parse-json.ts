import { isUtf8 } from 'node:buffer';
import { parse } from 'secure-json-parse';
import { A2AError } from '../model/errors.js';
import { describeJsonFault } from './json-fault.js';
import { isJsonObject } from './json-value.js';
import { scanJson, SCAN_LIMITS, type JsonFault, type ScanLimits } from './json-scan.js';

/**
 * Parses a request body. Throws `A2AError` ParseError for a text that is not JSON, InvalidRequest for JSON that is
 * refused unread: too deep, too many values, members that poison prototypes (A2A-RPC-03, A2A-SEC-01). Members of the
 * outermost object must be unique: two readers of one envelope must not see two different methods.
 */
export function parseJson(body: Buffer, limits: ScanLimits = SCAN_LIMITS): unknown {
  const text = textOf(body);
  const found = scanJson(text, limits);
  if (typeof found === 'string') throw refusal(found, limits);
  const value = parseText(text);
  if (isJsonObject(value) && Object.keys(value).length !== found) {
    throw new A2AError('InvalidRequest', 'The same member appears twice in the outermost object');
  }
  if (value === null && text.trim() !== 'null') {
    throw new A2AError('InvalidRequest', 'Members named "__proto__" or "constructor.prototype" are not accepted');
  }
  if (!isFiniteJson(value)) {
    throw new A2AError('InvalidRequest', 'A number is too large for a double (IEEE 754), such as 1e400');
  }
  return value;
}

/** JSON.parse turns too large numbers into Infinity, which would be written as null. */
function isFiniteJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.every(isFiniteJson) : Object.values(value).every(isFiniteJson);
}

function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  // Invalid UTF-8 becomes this character, which valid text may contain too.
  if (text.includes('\ufffd') && !isUtf8(body)) {
    throw new A2AError('ParseError', 'Invalid JSON payload: it must be UTF-8');
  }
  if (text.startsWith('\ufeff')) {
    throw new A2AError('ParseError', 'Invalid JSON payload: it must not start with a byte order mark');
  }
  return text;
}

/** Whether a text may have a member that poisons: without one of these it cannot, as escaped letters are written with `\\u`. */
function isSuspect(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u');
}

/** With `safe`, a poisoned document gives null instead of a SyntaxError like any other. */
function parseText(text: string): unknown {
  try {
    if (!isSuspect(text)) return JSON.parse(text) as unknown;
    const value: unknown = parse(text, { protoAction: 'error', constructorAction: 'error', safe: true });
    return value;
  } catch (cause) {
    throw new A2AError('ParseError', `Invalid JSON payload: ${describeJsonFault(text)}`, { cause });
  }
}

function refusal(found: JsonFault, limits: ScanLimits): A2AError {
  switch (found) {
    case 'nul-character':
      return new A2AError('InvalidRequest', 'NUL characters are not accepted');
    case 'lone-surrogate':
      return new A2AError(
        'InvalidRequest',
        'A text has half of a surrogate pair, such as \\ud83d without its second half',
      );
    case 'too-deep':
      return new A2AError('InvalidRequest', `The JSON is nested deeper than ${String(limits.maxDepth)} levels`);
    case 'too-many-tokens':
      return new A2AError('InvalidRequest', `The JSON has more than ${String(limits.maxTokens)} structural characters`);
  }
}
