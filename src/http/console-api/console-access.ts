import type { OwnershipPolicy } from '../../auth/principal.js';

/** The callers of the console's API. */
export interface ConsoleAccess {
  readonly ownership: OwnershipPolicy;
  /** Clients that may see the platform over all tenants, if they have the scope. */
  readonly platformClients: readonly string[];
}

/** Injection token of the options. */
export const ConsoleAccess = Symbol('ConsoleAccess');
