const A2A_JSON = 'application/a2a+json';
const PLAIN_JSON = 'application/json';

/** Media types of request bodies: both HTTP bindings read both (A2A-RPC-01, A2A-REST-01). */
export const JSON_TYPES = [PLAIN_JSON, A2A_JSON];

/** Headers of a plain JSON answer. */
export const PLAIN_JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': `${PLAIN_JSON}; charset=utf-8` };

/**
 * Headers of an HTTP+JSON 1.0 answer: A2A's own type, unless the caller's `Accept` excludes it (A2A-REST-01). Errors to
 * callers that accept an event stream have it too: Go's client reads plain JSON only.
 * @param accept the `Accept` header
 */
export function a2aJsonHeaders(accept = ''): Readonly<Record<string, string>> {
  const ranges = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const takesOurs = ['', A2A_JSON, 'application/*', '*/*'].some((type) => ranges.includes(type));
  const type = takesOurs ? A2A_JSON : PLAIN_JSON;
  return { 'content-type': `${type}; charset=utf-8`, vary: 'Accept' };
}
