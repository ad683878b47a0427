import { digestOf } from '../../tasks/task.keys.js';

/** All keys of bins: one slot per tenant. */
export class BinKeys {
  constructor(private readonly prefix: string) {}

  /**
   * Hash: the deliveries of a bin by their numbers; and the sorted set of a tenant: its bins → when they end. TTL one
   * hour.
   */
  bin(tenant: string, id: string): Readonly<Record<'bin' | 'bins', string>> {
    const bins = `${this.prefix}:{b${digestOf(tenant).slice(0, 16)}}:bins`;
    return { bin: `${bins}:${id}`, bins };
  }
}
