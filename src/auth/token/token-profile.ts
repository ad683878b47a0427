import type { Principal } from '../principal.js';
import { isJsonObject } from './compact-token.js';
import { isTenantName, TOKEN_ALGORITHMS, type IssuerOptions, type TokenAlgorithm } from './issuer-options.js';
import type { TokenRefusal } from './token-refusal.js';
import { TOKEN_SHAPES, type TokenShape } from './token-shape.js';

type JsonRecord = Readonly<Record<string, unknown>>;

/** How a token is bound to its sender: to a DPoP key (RFC 9449 §6.1) or to a TLS certificate (RFC 8705 §3.1). */
export interface Confirmation {
  readonly keyThumbprint?: string;
  readonly certificateThumbprint?: string;
}

export interface AcceptedClaims {
  readonly principal: Principal;
  /** Absent for a plain bearer token. */
  readonly confirmation?: Confirmation;
}

/** The key name and algorithm of a token's header, or the reason for refusing it. */
export type HeaderVerdict =
  { readonly kid: string; readonly algorithm: TokenAlgorithm } | { readonly refusal: TokenRefusal };

/** Members that bring their own keys, or change what is signed (RFC 7515 §4.1, RFC 7797, RFC 8725 §3.10). */
const REFUSED_MEMBERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'];

const MAX_TEXT = 256;

/** Checks the header of a token against the profile: algorithm, key name, type (RFC 9068 §2.1, §4; RFC 8725 §3). */
export function checkHeader(header: JsonRecord, issuer: IssuerOptions): HeaderVerdict {
  if (REFUSED_MEMBERS.some((member) => Object.hasOwn(header, member))) return { refusal: 'header' };
  const algorithm = (issuer.algorithms ?? TOKEN_ALGORITHMS).find((allowed) => allowed === header.alg);
  const kid = header.kid;
  if (algorithm === undefined || !isText(kid)) return { refusal: 'header' };
  return isAccessTokenType(header.typ, issuer) ? { kid, algorithm } : { refusal: 'type' };
}

function isAccessTokenType(typ: unknown, issuer: IssuerOptions): boolean {
  const plainAllowed = issuer.allowPlainJwtType ?? shapeOf(issuer).plainType;
  if (typ === undefined) return plainAllowed;
  if (typeof typ !== 'string') return false;
  const name = typ.toLowerCase().replace(/^application\//, '');
  return name === 'at+jwt' || (plainAllowed && name === 'jwt');
}

/**
 * Converts the claims of a token with a verified signature to a principal, or returns the refusal (RFC 9068 §2.2, §4).
 * @param kid name of the key that verified it
 * @param nowMs milliseconds since the epoch
 */
export function checkClaims(
  claims: JsonRecord,
  issuer: IssuerOptions,
  kid: string,
  nowMs: number,
): AcceptedClaims | TokenRefusal {
  const { sub } = claims;
  const shape = shapeOf(issuer);
  if (shape.isForeign(claims)) return 'type';
  const client = clientOf(claims, issuer);
  const scopes = scopesOf(claims, issuer);
  const id = issuer.idClaim ?? shape.id;
  if (!isText(sub) || !isText(client) || (id !== undefined && !isText(claims[id]))) return 'claims';
  if (scopes === undefined) return 'claims';
  if (!isMeantForUs(claims.aud, issuer)) return 'audience';
  const refusal = checkTimes(claims, issuer, nowMs / 1000);
  if (refusal !== undefined) return refusal;
  const tenant = tenantOf(claims, issuer);
  if (tenant === undefined) return 'tenant';
  const isMachine = sub === client || shape.isMachine(claims, client);
  if (issuer.machineOnly === true && !isMachine) return 'user token';
  const confirmation = confirmationOf(claims.cnf);
  if (confirmation === 'invalid') return 'sender constraint';
  if (confirmation === undefined && issuer.requireSenderConstraint === true) return 'sender constraint';
  const actors = actorsOf(claims.act);
  if (actors === undefined) return 'claims';
  const expiresAt = Number(claims.exp) * 1000;
  const subject = isMachine ? {} : { subject: sub };
  const chain = actors.length === 0 ? {} : { actors };
  const token = claims[id ?? 'jti'];
  const credential = isText(token) ? { kid, token } : { kid };
  const principal: Principal = { tenant, client, ...subject, scopes, method: 'token', expiresAt, ...chain, credential };
  return confirmation === undefined ? { principal } : { principal, confirmation };
}

function checkTimes(claims: JsonRecord, issuer: IssuerOptions, now: number): TokenRefusal | undefined {
  const { exp, iat, nbf } = claims;
  const skew = issuer.clockSkewSeconds ?? 30;
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf))) return 'claims';
  if (exp <= now - skew) return 'expired';
  if (iat > now + skew || (nbf !== undefined && nbf > now + skew)) return 'not yet valid';
  return exp - iat > (issuer.maxLifetimeSeconds ?? 86_400) ? 'lifetime' : undefined;
}

function isMeantForUs(aud: unknown, { audiences, singleAudience = false }: IssuerOptions): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isOurs = (value: unknown): boolean => typeof value === 'string' && audiences.includes(value);
  return singleAudience ? named.length > 0 && named.every(isOurs) : named.some(isOurs);
}

function shapeOf({ profile = 'rfc9068' }: IssuerOptions): TokenShape {
  return TOKEN_SHAPES[profile];
}

function clientOf(claims: JsonRecord, issuer: IssuerOptions): unknown {
  const names = issuer.clientClaim === undefined ? shapeOf(issuer).client : [issuer.clientClaim];
  return names.map((name) => claims[name]).find((value) => value !== undefined);
}

/** The scopes in all scope claims; undefined when one is malformed. */
function scopesOf(claims: JsonRecord, issuer: IssuerOptions): readonly string[] | undefined {
  const names = issuer.scopeClaim === undefined ? shapeOf(issuer).scopes : [issuer.scopeClaim];
  const all = names.map((name) => scopesIn(claims[name], name));
  return all.some((scopes) => scopes === undefined) ? undefined : all.flatMap((scopes) => scopes ?? []);
}

/** A list is not accepted in `scope`: RFC 8693 §4.2 requires a string. */
function scopesIn(value: unknown, claim: string): readonly string[] | undefined {
  if (value === undefined) return [];
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  if (!Array.isArray(value) || claim === 'scope') return undefined;
  const scopes = value.filter((scope) => typeof scope === 'string');
  return scopes.length === value.length ? scopes : undefined;
}

function tenantOf(claims: JsonRecord, issuer: IssuerOptions): string | undefined {
  if (issuer.tenant !== undefined) return issuer.tenant;
  const tenant = issuer.tenantClaim === undefined ? undefined : claims[issuer.tenantClaim];
  if (!isTenantName(tenant)) return undefined;
  return issuer.tenants === undefined || issuer.tenants.includes(tenant) ? tenant : undefined;
}

/** A chain of actors is written into each audit line of its caller. */
const MAX_ACTORS = 8;

/**
 * The names of a delegation chain, the latest first; undefined for an unreadable one, since every actor must be known.
 */
function actorsOf(act: unknown): readonly string[] | undefined {
  const actors: string[] = [];
  for (let next = act; next !== undefined;) {
    if (!isJsonObject(next) || !isText(next.sub) || actors.length === MAX_ACTORS) return undefined;
    actors.push(next.sub);
    next = next.act;
  }
  return actors;
}

/** A confirmation that cannot be checked must not be ignored: the token would become a bearer token. */
function confirmationOf(cnf: unknown): Confirmation | 'invalid' | undefined {
  if (cnf === undefined) return undefined;
  if (!isJsonObject(cnf)) return 'invalid';
  const { jkt } = cnf;
  const x5t = cnf['x5t#S256'];
  if (isText(jkt) && x5t === undefined) return { keyThumbprint: jkt };
  if (isText(x5t) && jkt === undefined) return { certificateThumbprint: x5t };
  return isText(jkt) && isText(x5t) ? { keyThumbprint: jkt, certificateThumbprint: x5t } : 'invalid';
}

function isText(value: unknown): value is string {
  // eslint-disable-next-line no-control-regex -- names with control characters would reach logs and keys
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && !/[\u0000-\u001f\u007f]/.test(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
