import type { Authenticator } from './authenticator.js';
import type { Challenger } from './challenge/challenger.js';

/** A path that is a protected resource of its own (RFC 9728): tokens for it are valid there only. */
export interface ResourceOptions {
  readonly path: string;
  /** Its resource identifier at the default address: the URL that its callers configure. */
  readonly resource: string;
  /** Audiences of accepted tokens. */
  readonly audiences: readonly string[];
  /** Whether tokens for the service itself are accepted too. */
  readonly takesServiceTokens: boolean;
  /** Scopes named in the challenge to a caller without a token. */
  readonly scopes: readonly string[];
}

/** Authentication and challenges of a protected resource. */
export interface ProtectedResource {
  readonly path: string;
  readonly authenticator: Authenticator;
  readonly challenger: Challenger;
}

/** The protected resource of a request target; undefined for the service itself. @param target path and query */
export function resourceOf<D extends { readonly path: string }>(
  resources: readonly D[],
  target: string,
): D | undefined {
  return resources.find(({ path }) => target === path || target.startsWith(`${path}?`));
}
