import { setImmediate as nextTurn } from 'node:timers/promises';
import { isVisibleTo, type Listed } from '../entry/registry-entry.js';
import type { RegistryStore } from '../store/registry.store.js';
import { type Filter, type FilterTerm, fits, valuesOf } from './filter-terms.js';
import { SearchIndex } from './search-index.js';

/** A search result. */
export interface Found {
  readonly listed: Listed;
  /** Relevance from 1 to 100. */
  readonly score: number;
}

/** Number of agents with a value of a term. */
export interface Bucket {
  readonly value: string;
  readonly count: number;
}

/** Unreachable agents rank last: they stay listed, since they may return. */
const LAST = { healthy: 0, unknown: 0, failing: 1, stale: 2 } as const;

/** The agents of one tenant in this process's memory, as of the last `refresh`. */
export class TenantCatalog {
  private readonly agents = new Map<string, Listed>();
  private readonly index = new SearchIndex();
  private version = 0;
  private refreshing: Promise<void> | undefined;

  constructor(
    private readonly tenant: string,
    private readonly store: RegistryStore,
  ) {}

  get size(): number {
    return this.agents.size;
  }

  /** Reads the changes since the last refresh; concurrent callers share one read. */
  refresh(): Promise<void> {
    this.refreshing ??= this.read().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  /** Best first; unreachable agents after all others. */
  search(client: string, text: string, filter: Filter): readonly Found[] {
    const visible = new Set(this.visible(client, filter).map(({ entry }) => entry.identifier));
    const found = this.index.search(text, visible).flatMap(({ identifier, score }) => {
      const listed = this.agents.get(identifier);
      return listed === undefined ? [] : [{ listed, score }];
    });
    return found.sort((one, other) => LAST[one.listed.health.state] - LAST[other.listed.health.state]);
  }

  /** By name. */
  list(client: string, filter: Filter): readonly Listed[] {
    return [...this.visible(client, filter)].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  }

  find(client: string, identifier: string): Listed | undefined {
    const listed = this.agents.get(identifier);
    return listed !== undefined && isVisibleTo(listed, client) ? listed : undefined;
  }

  /** The count of matching agents per value of each term; the most frequent first. */
  buckets(agents: readonly Listed[], term: FilterTerm): readonly Bucket[] {
    const counts = new Map<string, number>();
    for (const value of agents.flatMap((listed) => [...new Set(valuesOf(listed, term))])) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const buckets = [...counts].map(([value, count]) => ({ value, count }));
    return buckets.sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  }

  private visible(client: string, filter: Filter): readonly Listed[] {
    return [...this.agents.values()].filter((listed) => isVisibleTo(listed, client) && fits(listed, filter));
  }

  private async read(): Promise<void> {
    const version = await this.store.version(this.tenant);
    if (version === this.version) return;
    const changed = this.version === 0 ? undefined : await this.store.changedAfter(this.tenant, this.version);
    const identifiers = changed ?? (await this.store.identifiers(this.tenant));
    if (changed === undefined) this.forget(new Set(identifiers));
    for await (const batch of this.store.listed(this.tenant, identifiers)) {
      for (const [identifier, listed] of batch) this.put(identifier, listed);
      // Ten thousand agents take a second: yields to other callers.
      await nextTurn();
    }
    this.version = version;
  }

  private put(identifier: string, listed: Listed | undefined): void {
    if (listed === undefined) {
      this.agents.delete(identifier);
      this.index.remove(identifier);
      return;
    }
    // An invisible agent is not indexed, and a new health changes no word.
    const before = this.agents.get(identifier);
    this.agents.set(identifier, listed);
    if (before?.entry.hash !== listed.entry.hash) this.index.put(identifier, listed.entry.listing);
  }

  private forget(but: ReadonlySet<string>): void {
    for (const identifier of this.agents.keys()) if (!but.has(identifier)) this.put(identifier, undefined);
  }
}

function nameOf({ entry }: Listed): string {
  return `${entry.listing.displayName.toLowerCase()} ${entry.identifier}`;
}
