import { createHash } from 'node:crypto';
import { invalidParams } from '@parley/protocol/model/errors.js';

/**
 * A page token has the index cursor of the next page, and a digest of its owner and filter. It needs no signature:
 * every listing is limited to its caller's own tasks, so a forged cursor reveals nothing.
 */
export function pageToken(cursor: string, madeFor: readonly unknown[]): string {
  return Buffer.from(`${digest(madeFor)}${cursor}`).toString('base64url');
}

/** The cursor in a token; undefined without a token. Throws InvalidParams for a token of another request. */
export function cursorOf(token: string | undefined, madeFor: readonly unknown[]): string | undefined {
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
