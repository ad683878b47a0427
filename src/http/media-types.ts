const A2A_JSON = 'application/a2a+json';
const PLAIN_JSON = 'application/json';

/** Media types of request bodies: both HTTP bindings read both (A2A-RPC-01, A2A-REST-01). */
export const JSON_TYPES = [PLAIN_JSON, A2A_JSON];

/** The media type of an HTTP+JSON 1.0 answer: A2A's own, unless the caller takes plain JSON only (A2A-REST-01). */
export function restMediaType(accept = ''): string {
  const ranges = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const takesOurs = [A2A_JSON, 'application/*', '*/*'].some((type) => ranges.includes(type));
  return ranges.includes(PLAIN_JSON) && !takesOurs ? PLAIN_JSON : A2A_JSON;
}
