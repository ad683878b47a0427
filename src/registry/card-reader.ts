import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { isWellKnown } from '@parley/client/card/card-reference.js';
import { cardOf, fetchCard, type KnownCard } from '@parley/client/card/fetch-card.js';
import { verifyCard } from '@parley/client/card/verify-card.js';
import { isOfPublisher, publisherIn } from '../agents/card/ard/identifier.js';
import { cardHash } from './entry/card-drift.js';
import type { Proof, RegistryEntry } from './entry/registry-entry.js';
import type { RegistryStore } from './store/registry.store.js';

/** A card that the registry has read. */
export interface SeenCard {
  readonly url: string;
  readonly text: string;
  readonly card: AgentCard;
  readonly hash: string;
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Reads cards of agents for the registry, and verifies that their publisher vouches for them. */
export class CardReader {
  constructor(
    private readonly http: AgentHttp,
    private readonly store: RegistryStore,
  ) {}

  /** The card at a reference; undefined when it is unchanged since `known`. @throws RemoteError */
  async read(reference: string, known?: KnownCard): Promise<SeenCard | undefined> {
    const fetched = await fetchCard(this.http, reference, { known });
    if ('unchanged' in fetched) return undefined;
    const { url, text, headers } = fetched;
    const { card, raw } = cardOf(text);
    return {
      ...{ url, text, card, hash: cardHash(raw) },
      ...(headers.etag === undefined ? {} : { etag: headers.etag }),
      ...(headers['last-modified'] === undefined ? {} : { lastModified: headers['last-modified'] }),
    };
  }

  /** Whether the card is signed by a key pinned for the publisher of an identifier. */
  async signatureOf(
    tenant: string,
    identifier: string,
    card: AgentCard,
  ): Promise<{ readonly outcome: RegistryEntry['signature']; readonly kid?: string }> {
    const found = await verifyCard(card, await this.store.keysOf(tenant, publisherIn(identifier)));
    const kid = found.outcome === 'verified' ? found.kid : undefined;
    return { outcome: found.outcome, ...(kid === undefined ? {} : { kid }) };
  }

  /** The proof that the publisher of an identifier vouches for a card; undefined without one. */
  async proofOf(tenant: string, identifier: string, { card, url }: SeenCard): Promise<Proof | undefined> {
    const { outcome, kid } = await this.signatureOf(tenant, identifier, card);
    if (outcome === 'verified') return { kind: 'signature', ...(kid === undefined ? {} : { kid }) };
    return isOfPublisher(identifier, url) && isWellKnown(url) ? { kind: 'well-known' } : undefined;
  }
}
