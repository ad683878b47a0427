import type { OwnershipPolicy } from '../../auth/principal.js';

/** Configuration of the bindings. */
export interface BindingOptions {
  /**
   * Refuses 1.0 calls without a stated version, as A2A 1.0 §3.6.2 literally requires; otherwise they are 1.0 (DISP-08).
   */
  readonly strictVersion: boolean;
  /** The owner of tasks within a tenant. */
  readonly ownership: OwnershipPolicy;
}

/** Injection token of the options. */
export const BindingOptions = Symbol('BindingOptions');
