import { Inject, Injectable, Optional } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import { publisherIn } from '../../registry/ard/identifier.js';
import { Catalogs } from '../../registry/search/catalogs.js';
import { RegistryStore } from '../../registry/store/registry.store.js';

/** A card that curators have approved. */
export interface ApprovedCard {
  readonly url: string;
  readonly text: string;
  readonly keys: JSONWebKeySet | undefined;
}

/** The registry's knowledge of agents, if it is enabled. */
@Injectable()
export class RegistryCards {
  constructor(
    @Optional() @Inject(Catalogs) private readonly catalogs?: Catalogs,
    @Optional() @Inject(RegistryStore) private readonly store?: RegistryStore,
  ) {}

  /** The approved card of an agent; undefined for one that is not visible to the caller. */
  async approved(
    { tenant, client }: { readonly tenant: string; readonly client: string },
    identifier: string,
  ): Promise<ApprovedCard | undefined> {
    const listed = (await this.catalogs?.of(tenant))?.find(client, identifier);
    const text = listed === undefined ? undefined : (await this.store?.cards(tenant, identifier))?.served;
    if (listed === undefined || text === undefined) return undefined;
    return { url: listed.entry.url, text, keys: await this.keysOf(tenant, publisherIn(identifier)) };
  }

  /** The keys that curators have pinned for a publisher. */
  async keysOf(tenant: string, publisher: string): Promise<JSONWebKeySet | undefined> {
    return this.store?.keysOf(tenant, publisher);
  }
}
