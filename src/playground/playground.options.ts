import type { AllowEntry } from '../security/egress/allow-list.js';
import type { OwnershipPolicy } from '../security/auth/principal.js';

/** Configuration of the playground. */
export interface PlaygroundOptions {
  readonly keyPrefix: string;
  readonly ownership: OwnershipPolicy;
  /** Addresses inside the network that agents may be at. */
  readonly allow: readonly AllowEntry[];
}

/** Injection token of the options. */
export const PlaygroundOptions = Symbol('PlaygroundOptions');
