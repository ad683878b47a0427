import type { Listing } from '../ard/listing.js';

/** Where an agent is on its way through the registry. A retired one is removed; the log keeps that it was here. */
export const ENTRY_STATES = ['proposed', 'approved', 'suspended'] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** Who finds an approved agent: everybody of the tenant, or the named clients. */
export type Visibility =
  { readonly kind: 'tenant' } | { readonly kind: 'clients'; readonly clients: readonly string[] };

/** How it was proven that the publisher of the identifier vouches for the card. */
export type Proof =
  /** It is at a well-known path of the publisher's host. */
  | { readonly kind: 'well-known' }
  /** It is signed by a key that the curators have pinned for the publisher. */
  | { readonly kind: 'signature'; readonly kid?: string };

/** An agent as the registry of a tenant keeps it; the text of its card is beside it. */
export interface RegistryEntry {
  readonly identifier: string;
  readonly state: EntryState;
  /** The client that has registered it. */
  readonly owner: string;
  readonly visibility: Visibility;
  /** Where its card is. */
  readonly url: string;
  /** Digest of the served card. */
  readonly hash: string;
  readonly proof: Proof;
  /** Whether the served card is signed, as far as a pinned key can say. */
  readonly signature: 'verified' | 'unverifiable' | 'absent';
  readonly listing: Listing;
  /** A newer card that waits for an approval: the served one stays meanwhile. */
  readonly pending?: { readonly hash: string; readonly changes: readonly string[]; readonly since: string };
  /** ISO 8601. */
  readonly registered: string;
  readonly updated: string;
}

/** How the last looks at a card went. */
export interface EntryHealth {
  readonly state: HealthState;
  /** Looks in a row that have failed. */
  readonly failures: number;
  /** Ms since 1970; absent before the first success. */
  readonly seen?: number;
  /** Why the last look has failed. */
  readonly reason?: string;
  /** Validators of the answer (RFC 9110 §8.8). */
  readonly etag?: string;
  readonly lastModified?: string;
}

/** `stale`: no look has succeeded for a day. */
export const HEALTH_STATES = ['unknown', 'healthy', 'failing', 'stale'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** An agent with its health: what searches and lists are made of. */
export interface Listed {
  readonly entry: RegistryEntry;
  readonly health: EntryHealth;
}

export const UNKNOWN_HEALTH: EntryHealth = { state: 'unknown', failures: 0 };

/** Who finds an approved agent. */
export type Audience = Pick<RegistryEntry, 'owner' | 'visibility'>;

/** Who finds an agent; undefined for nobody. */
export function audienceOf(entry: RegistryEntry | undefined): Audience | undefined {
  if (entry?.state !== 'approved') return undefined;
  return { owner: entry.owner, visibility: entry.visibility };
}

/** Whether a client finds an agent: nothing else decides that, in searches, counts, lists, look-ups and events. */
export function isVisibleTo({ entry }: Listed, client: string): boolean {
  return entry.state === 'approved' && isAmong(entry, client);
}

/** Whether a client is of an audience. */
export function isAmong({ owner, visibility }: Audience, client: string): boolean {
  return visibility.kind === 'tenant' || owner === client || visibility.clients.includes(client);
}
