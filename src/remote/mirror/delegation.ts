import { hash } from 'node:crypto';
import { DELEGATION } from '@parley/protocol/extension/delegation.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/** Services that a chain of calls may pass through. */
const MOST_DEPTH = 8;
/** The same call may be in a chain so often. */
const MOST_ALIKE = 2;
/** Entries of a chain that are read: more come from somebody else's limits. */
const MOST_PATH = 32;

/** How many services a call may still pass through; 0: it must not be made. @param before as for `delegated` */
export function depthLeftOf(before: JsonObject | undefined): number {
  return Math.max(0, readChain(before?.[DELEGATION]).depthLeft);
}

/** The chain of a call to another agent, or why it must not be made. */
export type Delegation = { readonly metadata: JsonObject } | { readonly refused: string };

/**
 * The chain behind one more call: refused when it is too long, or when the same agent is given the same input again.
 * @param before the metadata of the message that began the tree here
 */
export function delegated(before: JsonObject | undefined, origin: string, parts: readonly Part[]): Delegation {
  const { depthLeft, path } = readChain(before?.[DELEGATION]);
  const entry = `${origin}#${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 16)}`;
  if (depthLeft <= 0)
    return { refused: `Agents have called each other ${String(MOST_DEPTH)} deep: ${path.join(' → ')}` };
  if (path.filter((one) => one === entry).length >= MOST_ALIKE) {
    return { refused: `The same call goes round in a circle: ${[...path, entry].join(' → ')}` };
  }
  return { metadata: { [DELEGATION]: { depthLeft: depthLeft - 1, path: [...path, entry] } } };
}

/** An origin and the digest of an input: others cannot put any other text into a chain. */
const ENTRY = /^https?:\/\/[\w.:[\]-]{1,260}#[\da-f]{16}$/;

function isEntry(value: unknown): value is string {
  return typeof value === 'string' && ENTRY.test(value);
}

/** What others claim can only shorten the chain that is left. */
function readChain(value: unknown): { readonly depthLeft: number; readonly path: readonly string[] } {
  if (!isJsonObject(value)) return { depthLeft: MOST_DEPTH, path: [] };
  const path = Array.isArray(value.path) ? value.path.filter(isEntry).slice(-MOST_PATH) : [];
  const left = typeof value.depthLeft === 'number' ? value.depthLeft : MOST_DEPTH;
  return { depthLeft: Math.min(left, MOST_DEPTH), path };
}
