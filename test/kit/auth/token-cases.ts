import { createPublicKey } from 'node:crypto';
import { SCOPE_OF } from '../../../src/auth/scopes.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import {
  AUDIENCE,
  b64,
  newKey,
  signHmac,
  signTexts,
  type Claims,
  type SigningKey,
  type TestIssuer,
} from './test-issuer.js';

/** A request as a caller sends it: values of `Authorization`, and what else carries a token. */
export interface Presented {
  readonly authorization: readonly string[];
  readonly query?: string;
  readonly formBody?: string;
}

/** What must come of it. `error` is that of the challenge; `none`: a challenge without one; absent: no challenge. */
export interface Expected {
  readonly status: 200 | 400 | 401 | 403 | 431;
  readonly error?: 'none' | 'invalid_token' | 'invalid_request' | 'insufficient_scope';
}

export interface TokenCase {
  readonly id: string;
  readonly name: string;
  readonly expected: Expected;
  /** Cases that only an HTTP/1.1 peer can send have no sense on other bindings. */
  readonly httpOnly?: boolean;
  readonly present: (issuer: TestIssuer, operation: OperationName) => Presented;
}

const MISSING: Expected = { status: 401, error: 'none' };
const REFUSED: Expected = { status: 401, error: 'invalid_token' };
const MALFORMED: Expected = { status: 400, error: 'invalid_request' };
const FORBIDDEN: Expected = { status: 403, error: 'insufficient_scope' };
const ACCEPTED: Expected = { status: 200 };

/** Keys that an issuer should never publish, and does here; to be published with the issuer's own. */
export const BAD_KEYS = {
  weak: newKey('weak', 'RS256', { bits: 1024 }),
  twinA: newKey('twin', 'RS256'),
  twinB: newKey('twin', 'RS256'),
  encryption: newKey('enc', 'RS256', { extra: { use: 'enc' } }),
} as const;

const STRANGER = newKey('rsa', 'RS256');
const FOREIGN = newKey('other', 'RS256');

type Make = (issuer: TestIssuer, scope: string) => string;

function token(id: string, name: string, make: Make, expected: Expected = REFUSED): TokenCase {
  const present = (issuer: TestIssuer, operation: OperationName): Presented => ({
    authorization: [`Bearer ${make(issuer, SCOPE_OF[operation])}`],
  });
  return { id, name, expected, present };
}

/** A token that would be good but for its claims, its header or its key. */
function claims(id: string, name: string, changes: (now: number) => Claims, expected = REFUSED): TokenCase {
  const now = (): number => Math.floor(Date.now() / 1000);
  return token(id, name, (issuer, scope) => issuer.token({ scope, ...changes(now()) }), expected);
}

function header(id: string, name: string, changes: Claims, key?: SigningKey): TokenCase {
  return token(id, name, (issuer, scope) => issuer.token({ scope }, changes, key ?? issuer.keys.rsa));
}

function shape(id: string, name: string, change: (good: string) => string, expected = REFUSED): TokenCase {
  return token(id, name, (issuer, scope) => change(issuer.token({ scope })), expected);
}

function request(id: string, name: string, expected: Expected, present: (good: string) => Presented): TokenCase {
  return {
    id,
    name,
    expected,
    httpOnly: true,
    present: (issuer, operation) => present(issuer.token({ scope: SCOPE_OF[operation] })),
  };
}

const parts = (good: string): [string, string, string] => {
  const [head = '', body = '', sig = ''] = good.split('.');
  return [head, body, sig];
};

const FORM: readonly TokenCase[] = [
  request('1', 'no header', MISSING, () => ({ authorization: [] })),
  request('2', 'empty Bearer', MISSING, () => ({ authorization: ['Bearer '] })),
  request('3', 'Basic', MISSING, () => ({ authorization: ['Basic YmlsbGluZzpzZWNyZXQ='] })),
  request('4', 'lower-case bearer (control)', ACCEPTED, (good) => ({ authorization: [`bearer ${good}`] })),
  request('5', 'two Authorization headers', MALFORMED, (good) => ({
    authorization: [`Bearer ${good}`, `Bearer ${good}`],
  })),
  request('6', 'token in the query', MISSING, (good) => ({ authorization: [], query: `access_token=${good}` })),
  request('6b', 'token in header and query', MALFORMED, (good) => ({
    authorization: [`Bearer ${good}`],
    query: `access_token=${good}`,
  })),
  request('7', 'token in a form body', MISSING, (good) => ({ authorization: [], formBody: `access_token=${good}` })),
  shape('8', 'two parts', (good) => parts(good).slice(0, 2).join('.')),
  shape('9', 'five parts (JWE)', (good) => `${good}.AAAA.AAAA`),
  shape('10', 'JSON serialisation', (good) => jsonForm(good), MALFORMED),
  shape('11', 'trailing space that HTTP does not take away', (good) => `${good}\u00a0`, MALFORMED),
  shape('12', 'padding', (good) => `${good}=`),
  shape('13', 'standard base64 alphabet', (good) => good.replaceAll('-', '+').replaceAll('_', '/')),
  request('14', 'token of 1 MB', { status: 431 }, (good) => ({
    authorization: [`Bearer ${good}${'A'.repeat(1 << 20)}`],
  })),
  token('14b', 'token longer than 8 KiB', (issuer, scope) => issuer.token({ scope, fill: 'x'.repeat(7_000) })),
  request('15', 'NUL in the header', { status: 400 }, (good) => ({ authorization: [`Bearer ${good}\u0000`] })),
  request('15b', 'CRLF in the header', MALFORMED, (good) => ({
    authorization: [`Bearer x\r\nAuthorization: Bearer ${good}`],
  })),
];

function jsonForm(good: string): string {
  const [head, body, sig] = parts(good);
  return JSON.stringify({ protected: head, payload: body, signature: sig });
}

function unsigned(good: string, alg: string, sig: string): string {
  return `${b64(JSON.stringify({ typ: 'at+jwt', alg, kid: 'rsa' }))}.${parts(good)[1]}.${sig}`;
}

const hmac = (secretOf: (issuer: TestIssuer) => string): Make => {
  return (issuer, scope) =>
    signHmac({ typ: 'at+jwt', alg: 'HS256', kid: 'rsa' }, issuer.claims({ scope }), secretOf(issuer));
};

const publicPem = (issuer: TestIssuer): string =>
  createPublicKey(issuer.keys.rsa.privateKey).export({ type: 'spki', format: 'pem' }).toString();

const KEYS: readonly TokenCase[] = [
  shape('16', 'alg none', (good) => unsigned(good, 'none', '')),
  shape('17', 'alg NoNe', (good) => unsigned(good, 'NoNe', parts(good)[2])),
  token('18', 'HS256 with the public PEM', hmac(publicPem)),
  token(
    '19',
    'HS256 with an empty key',
    hmac(() => ''),
  ),
  shape('20', 'signature stripped', (good) => `${parts(good).slice(0, 2).join('.')}.`),
  shape('21', 'one bit flipped', (good) => `${parts(good).slice(0, 2).join('.')}.${flipped(parts(good)[2])}`),
  header('22', 'another key under the same kid', {}, STRANGER),
  header('23', 'unknown kid', { kid: 'unheard-of' }),
  header('24', 'no kid', { kid: undefined }),
  header('25', 'kid that walks folders', { kid: '../../../../../../dev/null' }),
  header('25b', 'kid with SQL', { kid: "x' UNION SELECT 'key" }),
  header('26', 'kid that is an object', { kid: { toString: 'rsa' } }),
  header('27', 'embedded jwk', { kid: undefined, jwk: STRANGER.jwk }, STRANGER),
  header('27b', 'embedded jwk beside a good kid', { jwk: STRANGER.jwk }),
  header('28', 'jku to a metadata service', { jku: 'http://169.254.169.254/latest/jwks.json' }),
  header('29', 'x5u', { x5u: 'https://attacker.example/cert.pem' }),
  header('29b', 'x5c', { x5c: ['MIIB'] }),
  token('30', 'PS256 by a key for RS256', (issuer, scope) =>
    issuer.token({ scope }, { alg: 'PS256' }, { ...issuer.keys.rsa, alg: 'PS256' }),
  ),
  token('31', 'ES256 under the kid of an RSA key', (issuer, scope) =>
    issuer.token({ scope }, { kid: 'rsa' }, issuer.keys.ec),
  ),
  token('32', 'ECDSA signature of zeros', (issuer, scope) => {
    const good = issuer.token({ scope }, {}, issuer.keys.ec);
    return `${parts(good).slice(0, 2).join('.')}.${b64(Buffer.alloc(64))}`;
  }),
  header('33', 'unknown crit', { crit: ['exotic'], exotic: true }),
  header('34', 'b64 false', { crit: ['b64'], b64: false }),
  header('34b', 'b64 false without crit', { b64: false }),
  header('35', 'zip', { zip: 'DEF' }),
  header('36', 'RSA key of 1024 bits', {}, BAD_KEYS.weak),
  header('37', 'two keys of one kid', {}, BAD_KEYS.twinA),
  header('37b', 'two keys of one kid, the other', {}, BAD_KEYS.twinB),
  header('38', 'key for encryption', {}, BAD_KEYS.encryption),
];

function flipped(sig: string): string {
  const bytes = Buffer.from(sig, 'base64url');
  bytes[7] = (bytes[7] ?? 0) ^ 1;
  return b64(bytes);
}

function text(id: string, name: string, payloadOf: (good: Claims) => string, expected = REFUSED): TokenCase {
  const head = JSON.stringify({ typ: 'at+jwt', alg: 'RS256', kid: 'rsa' });
  const make: Make = (issuer, scope) => signTexts(head, payloadOf(issuer.claims({ scope })), issuer.keys.rsa);
  return token(id, name, make, expected);
}

const CLAIMS: readonly TokenCase[] = [
  claims('39', 'expired 31 s ago', (now) => ({ iat: now - 300, exp: now - 31 })),
  claims('40', 'no exp', () => ({ exp: undefined })),
  claims('41', 'exp as a string', (now) => ({ exp: String(now + 300) })),
  claims('42', 'exp in the far future', () => ({ exp: 9e15 })),
  claims('43', 'nbf in the future', (now) => ({ nbf: now + 120 })),
  claims('44', 'iat an hour ahead', (now) => ({ iat: now + 3_600, exp: now + 3_900 })),
  claims('44b', 'no iat', () => ({ iat: undefined })),
  claims('45', 'wrong iss', () => ({ iss: 'https://attacker.example' })),
  token('46', 'iss with a slash more', (issuer, scope) => issuer.token({ scope, iss: `${issuer.url}/` })),
  claims('47', 'no iss', () => ({ iss: undefined })),
  token('48', 'iss as a list', (issuer, scope) => issuer.token({ scope, iss: [issuer.url] })),
  claims('49', 'wrong aud', () => ({ aud: 'https://other.example' })),
  claims('49b', 'aud that begins like ours', () => ({ aud: `${AUDIENCE}/more` })),
  claims('50', 'no aud', () => ({ aud: undefined })),
  claims('51', 'empty aud', () => ({ aud: [] })),
  header('52', 'typ JWT', { typ: 'JWT' }),
  header('52b', 'no typ', { typ: undefined }),
  token('52c', 'id token', (issuer, scope) => issuer.token({ scope, nonce: 'n', at_hash: 'h' }, { typ: 'JWT' })),
  claims('53', 'no sub', () => ({ sub: undefined })),
  claims('53b', 'no client_id', () => ({ client_id: undefined })),
  claims('53c', 'no jti', () => ({ jti: undefined })),
  claims('53d', 'client_id as a list', () => ({ client_id: ['billing'] })),
  text('54', 'payload that is not JSON', () => 'not json'),
  text('55', 'payload that is a list', (good) => JSON.stringify([good])),
  text('56', 'a claim twice (harmless)', (good) => `{"jti":"a",${JSON.stringify(good).slice(1)}`, ACCEPTED),
  text(
    '57',
    '__proto__ claim (harmless)',
    (good) => `{"__proto__":{"scope":"a2a:admin"},${JSON.stringify(good).slice(1)}`,
    ACCEPTED,
  ),
  text(
    '57b',
    '__proto__ in place of the claims',
    (good) => `{"__proto__":${JSON.stringify(good)},"iss":"${String(good.iss)}"}`,
  ),
  token('58', 'another issuer with our audience', (issuer, scope) =>
    signTexts(
      JSON.stringify({ typ: 'at+jwt', alg: 'RS256', kid: 'rsa' }),
      JSON.stringify({ ...issuer.claims({ scope }), iss: 'https://login.other-tenant.example' }),
      STRANGER,
    ),
  ),
  token('59', 'our issuer’s name and client, signed by another tenant’s issuer', (issuer, scope) =>
    issuer.token({ scope, client_id: 'billing' }, { kid: 'other' }, FOREIGN),
  ),
];

const without = (scope: string): string =>
  [...new Set(Object.values(SCOPE_OF))].filter((other) => other !== scope).join(' ');

const USE: readonly TokenCase[] = [
  token('60', 'right token, missing scope', (issuer, scope) => issuer.token({ scope: without(scope) }), FORBIDDEN),
  claims('60b', 'no scope at all', () => ({ scope: undefined }), FORBIDDEN),
  token('61', 'scope as a list', (issuer, scope) => issuer.token({ scope: [scope] })),
  token('61b', 'scope that begins like ours', (issuer, scope) => issuer.token({ scope: `${scope}only` }), FORBIDDEN),
  token(
    '61c',
    'scopes divided by another character',
    (issuer, scope) => issuer.token({ scope: `x,${scope}` }),
    FORBIDDEN,
  ),
  token(
    '62',
    'role without scope',
    (issuer, scope) => issuer.token({ roles: [scope, 'admin'], scp: [scope] }),
    FORBIDDEN,
  ),
  claims('63', 'token bound to a DPoP key, sent as Bearer', () => ({ cnf: { jkt: 'A'.repeat(43) } })),
  claims('63b', 'token bound to a certificate, sent without it', () => ({ cnf: { 'x5t#S256': 'A'.repeat(43) } })),
  claims('63c', 'token bound in a way we do not know', () => ({ cnf: { kid: 'x' } })),
];

/** Every way to be refused that a single request can show, and three that must be accepted (4, 56, 57). */
export const TOKEN_CASES: readonly TokenCase[] = [...FORM, ...KEYS, ...CLAIMS, ...USE];
