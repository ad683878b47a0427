import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { canonical, identifierOf, publisherIn } from '../agents/card/ard/identifier.js';
import { listingOf } from '../agents/card/ard/listing.js';
import { CardReader, type SeenCard } from './card-reader.js';
import { CardChanges } from './card-changes.js';
import type { RegistryEntry, Visibility } from './entry/registry-entry.js';
import type { LogNote } from '@parley/client/registry/registry-log.js';
import { type EntryChange, type ReadEntry, RegistryStore, type Written } from './store/registry.store.js';

/** A caller's request to register an agent. */
export interface Registration {
  /** URL of the card or of the agent. */
  readonly url: string;
  /** Absent: derived from the host and the name of the agent. */
  readonly identifier?: string | undefined;
  readonly visibility: Visibility;
}

/** The outcome of an action. */
export type Outcome =
  | { readonly kind: 'done'; readonly entry?: RegistryEntry }
  | { readonly kind: 'missing' }
  /** The entry differs from the caller's assumption. */
  | { readonly kind: 'conflict'; readonly why: string }
  /** The request is not acceptable as it is. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'full'; readonly why: string };

/** Computes the change of the current entry; an outcome when there is nothing to change. */
type Plan = (known: ReadEntry) => Promise<EntryChange | Outcome> | EntryChange | Outcome;

const MISSING: Outcome = { kind: 'missing' };
/** Bound on optimistic retries: other curators and the prober write concurrently now and then. */
const MAX_TRIES = 10;

/** The actions of callers on their tenant's registry: each one is one change and one line of the log. */
@Injectable()
export class Registrations {
  constructor(
    private readonly store: RegistryStore,
    private readonly reader: CardReader,
    private readonly changes: CardChanges,
  ) {}

  /** Proposes an agent; for an agent that the caller has registered already, reads its card again. */
  async register(caller: Principal, { url, identifier: wished, visibility }: Registration): Promise<Outcome> {
    const seen = await this.seen(url);
    if ('kind' in seen) return seen;
    const identifier = canonical(wished ?? identifierOf(seen.url, seen.card.name));
    const known = await this.store.read(caller.tenant, identifier);
    if (known !== undefined) {
      return known.entry.owner === caller.client
        ? this.refresh(caller, identifier, false)
        : { kind: 'conflict', why: 'The identifier is registered by another client' };
    }
    const proof = await this.reader.proofOf(caller.tenant, identifier, seen);
    if (proof === undefined) {
      const publisher = publisherIn(identifier);
      const why = `Nothing proves that ${publisher} vouches for this card: serve it at https://${publisher}/.well-known/agent-card.json, or have a curator pin the key that signs it`;
      return { kind: 'refused', why };
    }
    const { outcome: signature } = await this.reader.signatureOf(caller.tenant, identifier, seen.card);
    const now = new Date().toISOString();
    const entry: RegistryEntry = {
      ...{ identifier, state: 'proposed', owner: caller.client, visibility, url: seen.url, hash: seen.hash },
      ...{ proof, signature, listing: listingOf(seen.card), registered: now, updated: now },
    };
    const note = noteOf(caller, 'registered', identifier, { hash: seen.hash });
    const written = await this.store.change(caller.tenant, identifier, undefined, { entry, card: seen.text, note });
    return written === 'changed' ? this.register(caller, { url, identifier, visibility }) : outcomeOf(written, entry);
  }

  /** Lists an agent with the card that the curator has reviewed. @param hash hash of that card */
  approve(caller: Principal, identifier: string, hash: string): Promise<Outcome> {
    return this.change(caller.tenant, identifier, async ({ entry }) => {
      const shown = entry.pending?.hash ?? entry.hash;
      if (shown !== hash) return { kind: 'conflict', why: `The card is another one now: ${shown}` };
      if (entry.state === 'approved' && entry.pending === undefined) return { kind: 'done', entry };
      const note = noteOf(caller, 'approved', identifier, { hash });
      if (entry.pending === undefined) return { entry: { ...entry, state: 'approved', ...updated() }, note };
      const { pending: card } = await this.store.cards(caller.tenant, identifier);
      const next = await this.changes.accepted(caller.tenant, entry, card ?? '');
      return { entry: { ...next, state: 'approved', ...updated() }, card: card ?? '', note };
    });
  }

  /** Hides an agent until it is approved again. */
  suspend(caller: Principal, identifier: string, why: string): Promise<Outcome> {
    return this.change(caller.tenant, identifier, ({ entry }) => {
      const note = noteOf(caller, 'suspended', identifier, { hash: entry.hash, why });
      return { entry: { ...entry, state: 'suspended', ...updated() }, keepsPending: true, note };
    });
  }

  show(caller: Principal, identifier: string, visibility: Visibility): Promise<Outcome> {
    return this.change(caller.tenant, identifier, ({ entry }) => {
      const why = visibility.kind === 'tenant' ? 'tenant' : `clients: ${visibility.clients.join(', ')}`;
      const note = noteOf(caller, 'visibility', identifier, { hash: entry.hash, why });
      return { entry: { ...entry, visibility, ...updated() }, keepsPending: true, note };
    });
  }

  /** Removes an agent. @param isCurator whether the caller may remove agents of all clients */
  retire(caller: Principal, identifier: string, why: string | undefined, isCurator: boolean): Promise<Outcome> {
    return this.change(caller.tenant, identifier, ({ entry }) => {
      if (!isCurator && entry.owner !== caller.client) return MISSING;
      const note = noteOf(caller, 'retired', identifier, { hash: entry.hash, ...(why === undefined ? {} : { why }) });
      return { note };
    });
  }

  /** Reads the card now. @param isCurator whether the caller may refresh agents of all clients */
  async refresh(caller: Principal, identifier: string, isCurator: boolean): Promise<Outcome> {
    const known = await this.store.read(caller.tenant, identifier);
    if (known === undefined || (!isCurator && known.entry.owner !== caller.client)) return MISSING;
    const seen = await this.seen(known.entry.url);
    if ('kind' in seen) return seen;
    const by = authorOf(caller);
    return this.change(caller.tenant, identifier, async ({ entry }) => {
      return (await this.changes.of(caller.tenant, entry, seen, by)) ?? { kind: 'done', entry };
    });
  }

  private async seen(url: string): Promise<SeenCard | Outcome> {
    try {
      return (await this.reader.read(url)) ?? MISSING;
    } catch (error) {
      if (error instanceof RemoteError) return { kind: 'refused', why: `The card cannot be read: ${error.message}` };
      throw error;
    }
  }

  /** Plans and writes until the entry is unchanged in between (optimistic lock). */
  private async change(tenant: string, identifier: string, plan: Plan): Promise<Outcome> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const known = await this.store.read(tenant, identifier);
      if (known === undefined) return MISSING;
      const planned = await plan(known);
      if ('kind' in planned) return planned;
      const written = await this.store.change(tenant, identifier, known, planned);
      if (written !== 'changed') return outcomeOf(written, planned.entry);
    }
    return { kind: 'conflict', why: 'The agent was changed by others all the time' };
  }
}

/** A line of the log about an action of a caller. */
export function noteOf(
  caller: Principal,
  action: LogNote['action'],
  subject: string,
  more: Pick<LogNote, 'hash' | 'why'> = {},
): LogNote {
  return { action, subject, by: authorOf(caller), ...more };
}

function authorOf({ client, subject }: Principal): LogNote['by'] {
  return { client, ...(subject === undefined ? {} : { subject }) };
}

function updated(): Pick<RegistryEntry, 'updated'> {
  return { updated: new Date().toISOString() };
}

function outcomeOf(written: Exclude<Written, 'changed'>, entry: RegistryEntry | undefined): Outcome {
  switch (written) {
    case 'done':
      return { kind: 'done', ...(entry === undefined ? {} : { entry }) };
    case 'agents':
      return { kind: 'full', why: 'The tenant has as many agents as it may have (registry.agents)' };
    case 'bytes':
      return { kind: 'full', why: 'The cards of the tenant have as many bytes as they may have' };
  }
}
