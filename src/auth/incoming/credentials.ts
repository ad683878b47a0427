import { ExtractJwt } from 'passport-jwt';
import type { IncomingCall } from './incoming-call.js';

/** The unverified credential of a call. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly scheme: TokenScheme; readonly token: string }
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'malformed'; readonly why: string };

export type TokenScheme = 'bearer' | 'dpop';

/** The header of API keys. */
export const API_KEY_HEADER = 'x-api-key';

/** `Authorization` by RFC 6750 §2.1 and RFC 9449 §7.1: one scheme, spaces, one b64token. */
const AUTHORIZATION = /^(bearer|dpop) +[A-Za-z0-9\-._~+/]+=*$/i;

const EXTRACTORS = {
  bearer: ExtractJwt.fromAuthHeaderWithScheme('bearer'),
  dpop: ExtractJwt.fromAuthHeaderWithScheme('dpop'),
} as const;

/**
 * Reads the one credential of a call. Only headers carry credentials: a token in the query or the body is ignored (RFC
 * 9700 §4.3.2), and beside a header it makes the request malformed (RFC 6750 §2).
 */
export function readCredentials(call: IncomingCall): Credentials {
  const authorization = call.header('authorization');
  const keys = call.header(API_KEY_HEADER);
  if (authorization.length > 1 || keys.length > 1) return malformed('Credentials were sent more than once');
  const [value] = authorization;
  const [key] = keys;
  if (value === undefined && key === undefined) return { kind: 'none' };
  if (hasQueryToken(call.target)) return malformed('Credentials were sent in more than one way');
  if (value === undefined) return key === undefined ? { kind: 'none' } : { kind: 'api-key', key };
  if (key !== undefined) return malformed('Credentials were sent in more than one way');
  return readAuthorization(value);
}

function readAuthorization(value: string): Credentials {
  const scheme = AUTHORIZATION.exec(value)?.[1]?.toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return unreadable(value);
  const token: unknown = EXTRACTORS[scheme]({ headers: { authorization: value } });
  return typeof token === 'string' ? { kind: 'token', scheme, token } : unreadable(value);
}

/** Another scheme, or our scheme without a token, is no credential; our scheme with anything else is malformed. */
function unreadable(value: string): Credentials {
  return /^(bearer|dpop) +\S/i.test(value)
    ? malformed('The Authorization header holds more than one token, or one with characters no token has')
    : { kind: 'none' };
}

function hasQueryToken(target: string): boolean {
  const query = target.indexOf('?');
  return query >= 0 && new URLSearchParams(target.slice(query + 1)).has('access_token');
}

function malformed(why: string): Credentials {
  return { kind: 'malformed', why };
}
