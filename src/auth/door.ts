import type { Authenticator } from './authenticator.js';
import type { Challenger } from './challenge/challenger.js';

/** A path that is a protected resource of its own (RFC 9728): tokens for it are valid there only. */
export interface DoorOptions {
  readonly path: string;
  /** Its resource identifier: the URL that its callers configure. */
  readonly resource: string;
  /** Audiences of accepted tokens. */
  readonly audiences: readonly string[];
  /** Whether tokens for the service itself are accepted too. */
  readonly takesServiceTokens: boolean;
  /** Scopes named in the challenge to a caller without a token. */
  readonly scopes: readonly string[];
}

/** Authentication and challenges of a door. */
export interface Door {
  readonly path: string;
  readonly authenticator: Authenticator;
  readonly challenger: Challenger;
}

/** The door of a request target; undefined for the service itself. @param target path and query */
export function doorOf<D extends { readonly path: string }>(doors: readonly D[], target: string): D | undefined {
  return doors.find(({ path }) => target === path || target.startsWith(`${path}?`));
}
