import { Injectable } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import { publisherIn } from '../agents/card/ard/identifier.js';
import { type ApprovedCard, ApprovedCards, type CardSource } from '../remote-agents/directory/approved-cards.js';
import { REGISTRY_SCOPES } from './registry.scopes.js';
import { Catalogs } from './search/catalogs.js';
import { RegistryStore } from './store/registry.store.js';

/** The registry as a source of approved cards for other features. */
@Injectable()
export class RegistryCards implements CardSource {
  readonly scopes = [REGISTRY_SCOPES.read];

  constructor(
    private readonly catalogs: Catalogs,
    private readonly store: RegistryStore,
    cards: ApprovedCards,
  ) {
    cards.source = this;
  }

  async approved(
    { tenant, client }: { readonly tenant: string; readonly client: string },
    identifier: string,
  ): Promise<ApprovedCard | undefined> {
    const listed = (await this.catalogs.of(tenant)).find(client, identifier);
    const text = listed === undefined ? undefined : (await this.store.cards(tenant, identifier)).served;
    if (listed === undefined || text === undefined) return undefined;
    return { url: listed.entry.url, text, keys: await this.keysOf(tenant, publisherIn(identifier)) };
  }

  keysOf(tenant: string, publisher: string): Promise<JSONWebKeySet | undefined> {
    return this.store.keysOf(tenant, publisher);
  }
}
