import type { ListedAddress } from '../../platform/address/listed-address.js';
import type { AuthOptions } from '../auth-options.js';
import { scopeDescriptions } from '../scopes.js';
import { DPOP_ALGORITHMS } from '../sender/dpop-proof.js';

/** The path of the document when the resource is a whole host. */
export const WELL_KNOWN_PATH = '/.well-known/oauth-protected-resource';

/** The OAuth 2.0 protected resource metadata document (RFC 9728 §2). */
export interface ProtectedResource {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly ['header'];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly dpop_bound_access_tokens_required?: boolean;
  readonly tls_client_certificate_bound_access_tokens?: boolean;
}

/**
 * The document; undefined when no issuer is configured, since callers could get a token nowhere.
 * @param skillScopes scopes required by skills, besides those of the operations
 */
export function protectedResource(
  options: AuthOptions,
  skillScopes: readonly string[] = [],
): ProtectedResource | undefined {
  const { issuers, resource, dpop, clientCertificates } = options;
  if (options.mode === 'open' || issuers.length === 0) return undefined;
  const isBound = issuers.every((issuer) => issuer.requireSenderConstraint === true);
  return {
    resource,
    authorization_servers: issuers.map((issuer) => issuer.issuer),
    scopes_supported: [...new Set([...Object.keys(scopeDescriptions(options.scopes)), ...skillScopes])],
    bearer_methods_supported: ['header'],
    ...(dpop === true && {
      dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
      dpop_bound_access_tokens_required: isBound && clientCertificates === undefined,
    }),
    ...(clientCertificates !== undefined && { tls_client_certificate_bound_access_tokens: true }),
  };
}

/**
 * The identifier of a resource for callers of a public address: a client compares it with the URL that it has (RFC 9728
 * §3.3). The service itself has the address only if tokens for it are accepted.
 * @param path path of a resource of its own
 */
export function resourceAt(
  { resource, resources = [], addresses = [], issuers }: AuthOptions,
  askedAt: ListedAddress | undefined,
  path?: string,
): string {
  const known = addresses.find(({ url }) => url === askedAt?.url)?.url;
  if (path !== undefined && known !== undefined) return `${known}${path}`;
  if (known === undefined) return resources.find((one) => one.path === path)?.resource ?? resource;
  return issuers.some(({ audiences }) => audiences.includes(known)) ? known : resource;
}

/** The URL of the document: its well-known path is inserted between host and path of the resource (RFC 9728 §3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return origin + WELL_KNOWN_PATH + pathname.replace(/\/$/, '');
}
