import { createHash } from 'node:crypto';
import { invalidParams } from '../protocol/errors.js';

/**
 * A page token holds the place after which the next page begins and a digest of whom and what it was made for. It needs
 * no signature: every listing is confined to its caller's own tasks, so a forged place shows nothing that is not theirs.
 */
export function pageToken(place: string, madeFor: readonly unknown[]): string {
  return Buffer.from(`${digest(madeFor)}${place}`).toString('base64url');
}

/** The place in a token; undefined for no token. Throws InvalidParams for one that was not made for this request. */
export function placeOf(token: string | undefined, madeFor: readonly unknown[]): string | undefined {
  if (token === undefined || token === '') return undefined;
  const text = Buffer.from(token, 'base64url').toString('utf8');
  const expected = digest(madeFor);
  if (!text.startsWith(expected) || text.length === expected.length) {
    throw invalidParams([{ field: 'pageToken', description: 'does not belong to this request' }]);
  }
  return text.slice(expected.length);
}

function digest(madeFor: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(madeFor)).digest('base64url').slice(0, 22);
}
