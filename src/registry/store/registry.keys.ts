import { createHash } from 'node:crypto';

/** Keys of the registry. All keys of a tenant are in one slot. None has a TTL: entries stay until they are retired. */
export class RegistryKeys {
  constructor(private readonly prefix: string) {}

  /** Set of the tenants that have agents. */
  get tenants(): string {
    return `${this.prefix}:registry:tenants`;
  }

  /** String: the process that is the prober. TTL 15 s, renewed while it is. */
  get prober(): string {
    return `${this.prefix}:registry:prober`;
  }

  /** Channel: the name of a tenant whose feed has a new change. */
  get feedChannel(): string {
    return `${this.prefix}:registry:told`;
  }

  /** Keys of one tenant. */
  of(tenant: string) {
    const base = `${this.prefix}:registry:{g${createHash('sha256').update(tenant).digest('hex').slice(0, 16)}}`;
    return {
      /** Hash: identifier → entry, JSON. */
      entries: `${base}:entries`,
      /** Hash: identifier → served card; `pending <identifier>` → the card that waits for approval. */
      cards: `${base}:cards`,
      /** List of events, JSON, oldest first; at most 10,000. */
      log: `${base}:log`,
      /**
       * Hash: version (number of changes), bytes (of entries and cards), seq and head (of the log), told and told_bytes
       * (of the feed).
       */
      meta: `${base}:meta`,
      /** Sorted set: identifier → version of its last change; of removed agents, too. */
      changed: `${base}:changed`,
      /** Sorted set: identifier → time of the next probe, ms. */
      due: `${base}:due`,
      /** Hash: identifier → health, JSON. */
      health: `${base}:health`,
      /** Stream of the last 1,000 visible changes, JSON; ids 1-0, 2-0, 3-0 … without a gap. */
      feed: `${base}:feed`,
      /** Hash: publisher → pinned public keys, JSON Web Key Set. */
      publishers: `${base}:publishers`,
    } as const;
  }
}

/** The field of the card that waits for approval. */
export function pendingField(identifier: string): string {
  return `pending ${identifier}`;
}
