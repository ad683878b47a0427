import type { Authenticator } from './authenticator.js';
import type { Challenger } from './challenge/challenger.js';

/** A path that is a protected resource of its own (RFC 9728): tokens for it are good there, and nowhere else. */
export interface DoorOptions {
  readonly path: string;
  /** Its identifier as a resource: the URL that its callers type. */
  readonly resource: string;
  /** Audiences of the tokens that it takes. */
  readonly audiences: readonly string[];
  /** Whether it takes tokens for the service itself too. */
  readonly takesServiceTokens: boolean;
  /** Scopes that a caller without a token is told to ask for. */
  readonly scopes: readonly string[];
}

/** How the callers of a door are known and refused. */
export interface Door {
  readonly path: string;
  readonly authenticator: Authenticator;
  readonly challenger: Challenger;
}

/** The door that a target belongs to; undefined for the service itself. @param target path and query */
export function doorOf<D extends { readonly path: string }>(doors: readonly D[], target: string): D | undefined {
  return doors.find(({ path }) => target === path || target.startsWith(`${path}?`));
}
