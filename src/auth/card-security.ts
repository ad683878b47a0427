import type { SecurityRequirement, SecurityScheme } from '@parley/protocol/model/agent-card.js';
import type { AuthOptions } from './auth-options.js';
import { API_KEY_HEADER } from './incoming/credentials.js';
import { scopeDescriptions } from './scopes.js';
import type { IssuerOptions } from './token/issuer-options.js';

/** The security members of the agent card (A2A-AUTHN-02); both are absent without authentication. */
export interface CardSecurity {
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  readonly securityRequirements?: readonly SecurityRequirement[];
}

/** Any one of the requirements is sufficient; all schemes within one are needed together (A2A-AUTHN-04). */
export function cardSecurity(options: AuthOptions): CardSecurity {
  if (options.mode === 'open') return {};
  const issuers = options.issuers.map(
    (issuer, index) => [index === 0 ? 'oauth2' : `oauth2-${String(index + 1)}`, issuer] as const,
  );
  const keys = options.apiKeys.length > 0;
  const hasCertificates = options.clientCertificates !== undefined;
  return {
    securitySchemes: {
      ...Object.fromEntries(issuers.map(([name, issuer]) => [name, issuerScheme(issuer, options.scopes)])),
      ...(keys && { apiKey: API_KEY_SCHEME }),
      ...(options.dpop === true && { dpop: DPOP_SCHEME }),
      ...(hasCertificates && { mutualTls: { mtlsSecurityScheme: { description: 'Binds tokens to a certificate' } } }),
    },
    securityRequirements: [
      ...issuers.flatMap(([name, issuer]) => alternatives(name, issuer, options)),
      ...(keys ? [requirement('apiKey')] : []),
    ],
  };
}

const API_KEY_SCHEME: SecurityScheme = {
  apiKeySecurityScheme: { location: 'header', name: API_KEY_HEADER, description: 'A key given out by the operator' },
};

const DPOP_SCHEME: SecurityScheme = {
  httpAuthSecurityScheme: { scheme: 'DPoP', bearerFormat: 'JWT', description: 'A token bound to a key (RFC 9449)' },
};

function issuerScheme({ issuer, tokenUrl }: IssuerOptions, more: AuthOptions['scopes']): SecurityScheme {
  if (tokenUrl !== undefined) {
    return { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: scopeDescriptions(more) } } } };
  }
  const openIdConnectUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return { openIdConnectSecurityScheme: { openIdConnectUrl } };
}

/** The bearer token, unless the issuer's tokens must be bound; and the token with each kind of binding. */
function alternatives(name: string, issuer: IssuerOptions, options: AuthOptions): readonly SecurityRequirement[] {
  const bindings = [
    ...(issuer.requireSenderConstraint === true ? [] : [[]]),
    ...(options.dpop === true ? [['dpop']] : []),
    ...(options.clientCertificates === undefined ? [] : [['mutualTls']]),
  ];
  return bindings.map((binding) => requirement(name, ...binding));
}

/** Scopes differ by operation: the card requires none in general and lists all with the scheme. */
function requirement(...names: readonly string[]): SecurityRequirement {
  return { schemes: Object.fromEntries(names.map((name) => [name, { list: [] }])) };
}
