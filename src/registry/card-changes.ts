import { Injectable } from '@nestjs/common';
import { cardOf } from '@parley/client/card/fetch-card.js';
import { listingOf } from '../agents/card/ard/listing.js';
import { CardReader, type SeenCard } from './card-reader.js';
import { driftOf } from './entry/card-drift.js';
import type { RegistryEntry } from './entry/registry-entry.js';
import type { LogNote } from '@parley/client/registry/registry-log.js';
import { type EntryChange, RegistryStore } from './store/registry.store.js';

/** Decides whether a changed card is served at once or waits for an approval. */
@Injectable()
export class CardChanges {
  constructor(
    private readonly store: RegistryStore,
    private readonly reader: CardReader,
  ) {}

  /** The change made by a card; undefined for an unchanged one. */
  async of(tenant: string, entry: RegistryEntry, seen: SeenCard, by: LogNote['by']): Promise<EntryChange | undefined> {
    const { identifier, hash, pending } = entry;
    if (seen.hash === pending?.hash) return undefined;
    if (seen.hash === hash) return pending === undefined ? undefined : this.withdrawn(entry, by);
    const risky = entry.state === 'approved' ? await this.risks(tenant, entry, seen) : [];
    const updated = new Date().toISOString();
    if (risky.length > 0) {
      const changed = { ...entry, pending: { hash: seen.hash, changes: risky, since: updated }, updated };
      const note: LogNote = {
        ...{ action: 'drifted', subject: identifier, by, hash: seen.hash },
        why: risky.join('; ').slice(0, MAX_WHY),
      };
      return { entry: changed, pending: seen.text, note };
    }
    const next = await this.accepted(tenant, entry, seen.text);
    const note: LogNote = { action: 'changed', subject: identifier, by, hash: seen.hash };
    return { entry: { ...next, hash: seen.hash, updated }, card: seen.text, note };
  }

  /** An entry with the given card as the served one. The hash of a pending card becomes that of the entry. */
  async accepted(tenant: string, entry: RegistryEntry, text: string): Promise<RegistryEntry> {
    const { card } = cardOf(text);
    const { outcome: signature } = await this.reader.signatureOf(tenant, entry.identifier, card);
    const { pending, ...rest } = entry;
    return { ...rest, hash: pending?.hash ?? entry.hash, signature, listing: listingOf(card) };
  }

  /** The publisher has withdrawn the new card. */
  private withdrawn({ pending: _pending, ...entry }: RegistryEntry, by: LogNote['by']): EntryChange {
    const note: LogNote = { action: 'changed', subject: entry.identifier, by, hash: entry.hash, why: 'as approved' };
    return { entry: { ...entry, updated: new Date().toISOString() }, note };
  }

  private async risks(tenant: string, entry: RegistryEntry, { card }: SeenCard): Promise<readonly string[]> {
    const { served } = await this.store.cards(tenant, entry.identifier);
    if (served === undefined) return ['the approved card is not stored'];
    const { outcome } = await this.reader.signatureOf(tenant, entry.identifier, card);
    const approved = { card: cardOf(served).card, signature: entry.signature };
    return driftOf(approved, { card, signature: outcome }).risky;
  }
}

/** Characters of a reason in the log. */
const MAX_WHY = 1000;
