/** The supported token formats: RFC 9068, and providers with their own formats. */
export const JWT_PROFILES = ['rfc9068', 'auth0', 'entra', 'keycloak', 'okta'] as const;

export type JwtProfile = (typeof JWT_PROFILES)[number];

type Claims = Readonly<Record<string, unknown>>;

/** Deviations of a provider's access tokens from RFC 9068, and their differences from its other tokens. */
export interface TokenShape {
  /** Whether the header's `typ` may be `JWT` or absent. */
  readonly plainType: boolean;
  /** Claims that may name the client; the first one present counts. */
  readonly client: readonly string[];
  /** Claims that may hold scopes, as a text or a list; all present ones count. */
  readonly scopes: readonly string[];
  /** The claim that names the token; undefined if the provider's tokens have none. */
  readonly id: string | undefined;
  /** Whether the claims are those of an ID token or another one that is not for APIs. */
  readonly isForeign: (claims: Claims) => boolean;
  /** Whether the client acts for itself, where `sub` being the client does not show it (RFC 9068 §2.2). */
  readonly isMachine: (claims: Claims, client: string) => boolean;
}

/** Claims of ID tokens (OpenID Connect Core 1.0 §3.1.3.6), which a plain `typ` does not distinguish. */
const ofIdToken = (claims: Claims): boolean =>
  ['nonce', 'at_hash', 'c_hash', 's_hash'].some((name) => claims[name] !== undefined);

const never = (): boolean => false;

/** Default token formats of the providers; docs/security.md lists what each accepts beyond RFC 9068. */
export const TOKEN_SHAPES: Readonly<Record<JwtProfile, TokenShape>> = {
  rfc9068: {
    plainType: false,
    client: ['client_id'],
    scopes: ['scope'],
    id: 'jti',
    isForeign: never,
    isMachine: never,
  },
  // "Auth0 token profile": typ JWT, azp, no jti; the subject of a client is <client>@clients.
  auth0: {
    plainType: true,
    client: ['client_id', 'azp'],
    scopes: ['scope'],
    id: undefined,
    isForeign: ofIdToken,
    isMachine: ({ sub }, client) => sub === `${client}@clients`,
  },
  // Tokens of v2.0 have azp, those of v1.0 appid; people have scp, applications roles; uti names the token.
  entra: {
    plainType: true,
    client: ['azp', 'appid'],
    scopes: ['scp', 'roles'],
    id: 'uti',
    isForeign: ofIdToken,
    isMachine: ({ idtyp, scp }) => idtyp === 'app' || (idtyp === undefined && scp === undefined),
  },
  // The claim typ separates access tokens ("Bearer", "DPoP") from ID and refresh tokens; older ID tokens also have a
  // nonce.
  keycloak: {
    plainType: true,
    client: ['client_id', 'azp'],
    scopes: ['scope'],
    id: 'jti',
    isForeign: ({ typ }) => typ !== 'Bearer' && typ !== 'DPoP',
    isMachine: ({ preferred_username: name }, client) => name === `service-account-${client.toLowerCase()}`,
  },
  // Tokens of a custom authorization server: no typ, cid, a list of scopes in scp.
  okta: {
    plainType: true,
    client: ['cid'],
    scopes: ['scp'],
    id: 'jti',
    isForeign: ofIdToken,
    isMachine: ({ uid }) => uid === undefined,
  },
};
