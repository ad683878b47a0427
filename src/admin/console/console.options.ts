import type { OwnershipPolicy } from '../../auth/principal.js';

/**
 * Login at the console. `open`: none, since only this machine can call. `code`: at an issuer (authorization code with
 * PKCE). `key`: by a pasted key or token, which the page forgets when it is closed.
 */
export type ConsoleLogin =
  | { readonly kind: 'open' | 'key' }
  | {
      readonly kind: 'code';
      readonly issuer: string;
      readonly clientId: string;
      /** The resource of the tokens (RFC 8707). */
      readonly resource: string;
      /** Whether tokens may be bound to a key of the page (RFC 9449). */
      readonly dpop: boolean;
    };

/** Configuration of the console. */
export interface ConsoleOptions {
  readonly version: string;
  readonly keyPrefix: string;
  readonly login: ConsoleLogin;
  readonly ownership: OwnershipPolicy;
  /** The names of the enabled features: the page shows their screens. */
  readonly features: readonly string[];
  /** Scopes that the page requests at a login; an issuer grants a subset. */
  readonly scopes: readonly string[];
  /** Whether there are agents of AGENTS_FILE. */
  readonly hasAgents: boolean;
  /** URL of a trace in a tracing system, with `{traceId}` in it. */
  readonly traceUrl?: string;
  /** URL of a search in a log system, with `{taskId}` or `{traceId}` in it. */
  readonly logUrl?: string;
}

/** Injection token of the options. */
export const ConsoleOptions = Symbol('ConsoleOptions');
