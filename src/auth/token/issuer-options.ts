import { JWT_PROFILES, type JwtProfile } from './token-shape.js';

/** Signature algorithms that may be allowed. None is symmetric, so no public key can be taken for a shared secret. */
export const TOKEN_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;

export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** One issuer of access tokens and the requirements on its tokens. */
export interface IssuerOptions {
  /** Compared character by character with the token's `iss`. */
  readonly issuer: string;
  /** One of these must be in the token's `aud`. */
  readonly audiences: readonly string[];
  /** URL of its keys; default: from the issuer's metadata document (RFC 8414, OpenID discovery). */
  readonly jwksUri?: string;
  /** Token endpoint for clients; named in the agent card. */
  readonly tokenUrl?: string;
  /** The tenant of every token of this issuer. Exactly one of `tenant` and `tenantClaim` is set. */
  readonly tenant?: string;
  /** The claim that names the tenant, for an issuer that serves several. */
  readonly tenantClaim?: string;
  /** With `tenantClaim`: the tenants that this issuer may name; absent means any. */
  readonly tenants?: readonly string[];
  /** Default: all of `TOKEN_ALGORITHMS`. */
  readonly algorithms?: readonly TokenAlgorithm[];
  /** The token format of the issuer; the members below override it. Default `rfc9068`. */
  readonly profile?: JwtProfile;
  /** Accepts tokens of type `JWT` or without a type too, for issuers that do not follow RFC 9068. Default false. */
  readonly allowPlainJwtType?: boolean;
  /** Refuses tokens that act for a user, where `sub` is not the client. Default false. */
  readonly machineOnly?: boolean;
  /** Refuses tokens that are for others too: these could send them here. Default false. */
  readonly singleAudience?: boolean;
  /** Refuses tokens that are not bound to a DPoP key or a TLS certificate. Default false. */
  readonly requireSenderConstraint?: boolean;
  /**
   * Its clients are identical to those of equal tenant and name of other issuers and API keys: they own each other's
   * tasks. Default false: no two issuers may then name the same tenant.
   */
  readonly sharesClients?: boolean;
  /** The claim that names the client; default: by the profile, `client_id` in RFC 9068. */
  readonly clientClaim?: string;
  /** The claim with the scopes as one space-separated string; one other than `scope` may be a list too. */
  readonly scopeClaim?: string;
  /** The claim that names the token; default: by the profile, `jti` in RFC 9068. */
  readonly idClaim?: string;
  /** Default 30, at most 60. */
  readonly clockSkewSeconds?: number;
  /** The longest `exp - iat`; default 86,400. */
  readonly maxLifetimeSeconds?: number;
}

/** @throws Error that names the faulty option of an issuer, at the start of the service */
export function checkIssuerOptions(options: IssuerOptions): void {
  const fail = (why: string): never => {
    throw new Error(`Issuer ${options.issuer}: ${why}`);
  };
  if (options.issuer === '') fail('its URL is empty');
  if (options.audiences.length === 0 || options.audiences.includes('')) fail('at least one audience is needed');
  if ((options.tenant === undefined) === (options.tenantClaim === undefined)) {
    fail('set either a tenant or the claim that names the tenant');
  }
  if (options.tenant !== undefined && !isTenantName(options.tenant)) fail('its tenant is not a valid name');
  if (options.profile !== undefined && !JWT_PROFILES.includes(options.profile)) {
    fail(`its profile may be ${JWT_PROFILES.join(', ')}`);
  }
  // The issuer is compared character by character: its tokens would all be refused.
  if (options.profile === 'auth0' && !options.issuer.endsWith('/')) fail('Auth0 writes its issuer with a / at the end');
  const skew = options.clockSkewSeconds ?? 0;
  if (!(skew >= 0 && skew <= 60)) fail('the clock skew must be between 0 and 60 seconds');
  if (options.algorithms?.length === 0) fail('at least one algorithm is needed');
  if (options.algorithms?.some((algorithm) => !TOKEN_ALGORITHMS.includes(algorithm)) === true) {
    fail(`algorithms may be ${TOKEN_ALGORITHMS.join(', ')}`);
  }
}

/** Throws an error when two issuers that do not share their clients may name the same tenant. */
export function checkTenancies(issuers: readonly IssuerOptions[]): void {
  for (const [at, one] of issuers.entries()) {
    for (const other of issuers.slice(at + 1)) {
      const share = one.sharesClients === true && other.sharesClients === true;
      if (share || !mayNameSameTenant(one, other)) continue;
      throw new Error(
        `Issuers ${one.issuer} and ${other.issuer} may name the same tenant, in which their clients of one name would be one: ` +
          'give each its own tenant or its list of tenants, or set sharesClients for both',
      );
    }
  }
}

function mayNameSameTenant(one: IssuerOptions, other: IssuerOptions): boolean {
  const [ones, others] = [tenantsOf(one), tenantsOf(other)];
  if (ones === 'any' || others === 'any') return true;
  return ones.some((tenant) => others.includes(tenant));
}

function tenantsOf({ tenant, tenants }: IssuerOptions): readonly string[] | 'any' {
  return tenant === undefined ? (tenants ?? 'any') : [tenant];
}

/** Whether a text can be a tenant's name: letters, digits, `.`, `_`, `-`, at most 64, because it is part of keys. */
export function isTenantName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value);
}
