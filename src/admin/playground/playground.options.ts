import type { AllowEntry } from '../../outbound/allow-list.js';
import type { OwnershipPolicy } from '../../auth/principal.js';

/** Configuration of the playground. */
export interface PlaygroundOptions {
  readonly keyPrefix: string;
  readonly ownership: OwnershipPolicy;
  /** Internal addresses that agents may have. */
  readonly allow: readonly AllowEntry[];
}

/** Injection token of the options. */
export const PlaygroundOptions = Symbol('PlaygroundOptions');
