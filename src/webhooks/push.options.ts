import type { EgressDeadlines } from '../outbound/guarded-client.js';
import type { BreakerOptions } from '../platform/breaker/endpoint-breaker.js';
import type { SigningKey } from './signing/signature.js';

/** Delivery of webhooks; times in milliseconds. */
export interface PushOptions {
  /** Key prefix, the same as for tasks. */
  readonly keyPrefix: string;
  /** Name and version in `User-Agent`. */
  readonly userAgent: string;
  /** Deliveries of this process at once. */
  readonly concurrency: number;
  /** Webhooks that one task may have. */
  readonly maxPerTask: number;
  /**
   * Concurrent attempts to an endpoint: `first` for a new or failing one; each consecutive success adds one, up to
   * `most`.
   */
  readonly endpointSlots: { readonly first: number; readonly most: number };
  /** Attempts at once to all endpoints of one tenant, over all processes. */
  readonly tenantSlots: number;
  readonly breaker: BreakerOptions;
  /** Master keys from which clients without a secret of their own derive one; the first is the current. */
  readonly masterKeys: readonly [SigningKey, ...SigningKey[]];
  /** Public URL of this agent: the `iss` of webhook tokens. */
  readonly issuer: string;
  /** Whether an address must answer a challenge before it becomes a webhook. */
  readonly provesOwnership: boolean;
  /** Prefix of the hex digits in `X-Agent-Signature`. */
  readonly signaturePrefix: string;
  /** Timeouts of an attempt. */
  readonly deadlines: EgressDeadlines;
  /** Time for deliveries in progress at shutdown. */
  readonly drainMs: number;
}

export const PUSH_DEFAULTS = {
  keyPrefix: 'parley',
  userAgent: 'parley',
  concurrency: 50,
  maxPerTask: 10,
  endpointSlots: { first: 4, most: 20 },
  tenantSlots: 40,
  breaker: {
    failures: 10,
    sample: 20,
    pauseMs: 30_000,
    // One attempt a minute costs little, and finds at once that a receiver is back, for which all its webhooks wait.
    longestPauseMs: 60_000,
    disableAfterMs: 5 * 86_400_000,
    disableAfterFailures: 0,
  },
  provesOwnership: false,
  signaturePrefix: '',
  deadlines: { dns: 2000, connect: 3000, headers: 10_000, total: 15_000 },
  drainMs: 10_000,
} as const satisfies Omit<PushOptions, 'masterKeys' | 'issuer'>;

/** Injection token of the options. */
export const PushOptions = Symbol('PushOptions');
