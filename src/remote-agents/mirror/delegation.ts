import { hash } from 'node:crypto';
import { DELEGATION } from '@parley/protocol/extension/delegation.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/** Services that a chain of calls may pass through. */
const MAX_DEPTH = 8;
/** Times that the same call may appear in a chain. */
const MAX_ALIKE = 2;
/** Entries of a chain that are read; a longer one was written under other limits. */
const MAX_PATH = 32;

/** Services that a call may still pass through; 0 forbids the call. @param before as for `delegated` */
export function depthLeftOf(before: JsonObject | undefined): number {
  return Math.max(0, readChain(before?.[DELEGATION]).depthLeft);
}

/** The chain of a call to another agent, or the reason for refusing it. */
export type Delegation = { readonly metadata: JsonObject } | { readonly refused: string };

/**
 * Extends the chain by one call; refuses when it is too long or repeats an agent with the same input.
 * @param before metadata of the message that began the tree here
 */
export function delegated(before: JsonObject | undefined, origin: string, parts: readonly Part[]): Delegation {
  const { depthLeft, path } = readChain(before?.[DELEGATION]);
  const entry = `${origin}#${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 16)}`;
  if (depthLeft <= 0)
    return { refused: `Agents have called each other ${String(MAX_DEPTH)} deep: ${path.join(' → ')}` };
  if (path.filter((one) => one === entry).length >= MAX_ALIKE) {
    return { refused: `The same call goes round in a circle: ${[...path, entry].join(' → ')}` };
  }
  return { metadata: { [DELEGATION]: { depthLeft: depthLeft - 1, path: [...path, entry] } } };
}

/** An origin and the digest of an input: a chain cannot carry any other text. */
const ENTRY = /^https?:\/\/[\w.:[\]-]{1,260}#[\da-f]{16}$/;

function isEntry(value: unknown): value is string {
  return typeof value === 'string' && ENTRY.test(value);
}

/** Claims of others can only shorten the remaining chain. */
function readChain(value: unknown): { readonly depthLeft: number; readonly path: readonly string[] } {
  if (!isJsonObject(value)) return { depthLeft: MAX_DEPTH, path: [] };
  const path = Array.isArray(value.path) ? value.path.filter(isEntry).slice(-MAX_PATH) : [];
  const left = typeof value.depthLeft === 'number' ? value.depthLeft : MAX_DEPTH;
  return { depthLeft: Math.min(left, MAX_DEPTH), path };
}
