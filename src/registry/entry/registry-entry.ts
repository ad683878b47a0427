import type { Listing } from '../../agents/card/ard/listing.js';

/** State of an agent in the registry. A retired one is removed; the log keeps its history. */
export const ENTRY_STATES = ['proposed', 'approved', 'suspended'] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** The clients that can see an approved agent: all of the tenant, or the named ones. */
export type Visibility =
  { readonly kind: 'tenant' } | { readonly kind: 'clients'; readonly clients: readonly string[] };

/** The proof that the publisher of the identifier vouches for the card. */
export type Proof =
  /** The card is at a well-known path of the publisher's host. */
  | { readonly kind: 'well-known' }
  /** The card is signed by a key that the curators pinned for the publisher. */
  | { readonly kind: 'signature'; readonly kid?: string };

/** An agent in the registry of a tenant; the text of its card is stored separately. */
export interface RegistryEntry {
  readonly identifier: string;
  readonly state: EntryState;
  /** The client that registered it. */
  readonly owner: string;
  readonly visibility: Visibility;
  /** URL of its card. */
  readonly url: string;
  /** Digest of the served card. */
  readonly hash: string;
  readonly proof: Proof;
  /** Whether the served card is signed, as far as pinned keys can verify. */
  readonly signature: 'verified' | 'unverifiable' | 'absent';
  readonly listing: Listing;
  /** A newer card that waits for approval; the served one stays meanwhile. */
  readonly pending?: { readonly hash: string; readonly changes: readonly string[]; readonly since: string };
  /** ISO 8601. */
  readonly registered: string;
  readonly updated: string;
}

/** Results of the latest probes of a card. */
export interface EntryHealth {
  readonly state: HealthState;
  /** Consecutive failed probes. */
  readonly failures: number;
  /** Time of the last success, ms since 1970; absent before the first one. */
  readonly seen?: number;
  /** The reason for the last failure. */
  readonly reason?: string;
  /** Validators of the answer (RFC 9110 §8.8). */
  readonly etag?: string;
  readonly lastModified?: string;
}

/** `stale`: no probe has succeeded for a day. */
export const HEALTH_STATES = ['unknown', 'healthy', 'failing', 'stale'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** An agent with its health: the item of searches and lists. */
export interface Listed {
  readonly entry: RegistryEntry;
  readonly health: EntryHealth;
}

export const UNKNOWN_HEALTH: EntryHealth = { state: 'unknown', failures: 0 };

/** The clients that can see an approved agent. */
export type Audience = Pick<RegistryEntry, 'owner' | 'visibility'>;

/** The audience of an entry; undefined when it is visible to no client. */
export function audienceOf(entry: RegistryEntry | undefined): Audience | undefined {
  if (entry?.state !== 'approved') return undefined;
  return { owner: entry.owner, visibility: entry.visibility };
}

/** Whether a client can see an agent: the only such check for searches, counts, lists, look-ups and events. */
export function isVisibleTo({ entry }: Listed, client: string): boolean {
  return entry.state === 'approved' && isAmong(entry, client);
}

/** Whether a client belongs to an audience. */
export function isAmong({ owner, visibility }: Audience, client: string): boolean {
  return visibility.kind === 'tenant' || owner === client || visibility.clients.includes(client);
}
