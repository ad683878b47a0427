/** Maximum length of a token, in characters: half of Node's header limit. */
export const MAX_TOKEN_LENGTH = 8192;

/** The unverified parts of a JWS in compact form. */
export interface CompactToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Parses a compact JWS more strictly than most RFC 7515 readers: three parts, each canonical base64url without padding,
 * header and claims JSON objects in UTF-8. Undefined for everything else, including JWE and JSON forms.
 */
export function parseCompactToken(token: string): CompactToken | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const parts = token.split('.', 4);
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || header === undefined || claims === undefined || signature === undefined) return undefined;
  if (!isCanonical(signature)) return undefined;
  const parsedHeader = parseJsonObject(header);
  const parsedClaims = parseJsonObject(claims);
  if (parsedHeader === undefined || parsedClaims === undefined) return undefined;
  return { header: parsedHeader, claims: parsedClaims };
}

/**
 * Canonical base64url: a decoder that ignores padding, foreign characters or spare bits would accept several texts per
 * value.
 */
function isCanonical(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
}

function parseJsonObject(part: string): Readonly<Record<string, unknown>> | undefined {
  if (!isCanonical(part)) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a parsed JSON value is an object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
