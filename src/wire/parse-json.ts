import { parse } from 'secure-json-parse';
import { A2AError } from '../protocol/errors.js';
import { describeJsonFault } from './json-fault.js';
import { scanJson, SCAN_LIMITS, type JsonFault, type ScanLimits } from './json-scan.js';

/**
 * Parses a request body. Throws `A2AError` ParseError for what is not JSON, InvalidRequest for JSON that is refused
 * unread: too deep, too many values, members that poison prototypes (A2A-RPC-03, A2A-SEC-01).
 */
export function parseJson(body: Buffer, limits: ScanLimits = SCAN_LIMITS): unknown {
  const found = scanJson(body, limits);
  if (found !== undefined) throw refusal(found, limits);
  const text = body.toString('utf8');
  const value = parseText(text);
  if (value === null && text.trim() !== 'null') {
    throw new A2AError('InvalidRequest', 'Members named "__proto__" or "constructor.prototype" are not accepted');
  }
  return value;
}

/** Without one of these no member can be one that poisons: escaped letters are written with `\\u`. */
const SUSPECT = /__proto__|constructor|\\u/;

/** With `safe`, a poisoned document gives null instead of a SyntaxError that looks like any other. */
function parseText(text: string): unknown {
  try {
    if (!SUSPECT.test(text)) return JSON.parse(text) as unknown;
    const value: unknown = parse(text, { protoAction: 'error', constructorAction: 'error', safe: true });
    return value;
  } catch (cause) {
    throw new A2AError('ParseError', `Invalid JSON payload: ${describeJsonFault(text)}`, { cause });
  }
}

function refusal(found: JsonFault, limits: ScanLimits): A2AError {
  switch (found) {
    case 'byte-order-mark':
      return new A2AError('ParseError', 'Invalid JSON payload: it must not start with a byte order mark');
    case 'not-utf8':
      return new A2AError('ParseError', 'Invalid JSON payload: it must be UTF-8');
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
    case 'duplicate-member':
      return new A2AError('InvalidRequest', 'The same member appears twice in the outermost object');
  }
}
