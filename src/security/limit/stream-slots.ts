import type { QuotaOptions } from './limit-options.js';
import { requireRoom } from './quota.js';

type StreamQuotas = Pick<QuotaOptions, 'streamsPerClient' | 'streamsPerTenant' | 'streamsPerProcess'>;

/** Counts what holds a connection open in this process: streams, and calls that wait for a task. */
export class StreamSlots {
  private readonly counts = new Map<string, number>();

  constructor(private readonly options: StreamQuotas) {}

  /** Takes a slot and gives the function that frees it, once however often it is called. @throws A2AError RateLimited */
  take({ tenant, client }: { tenant: string; client: string }): () => void {
    const slots = [
      { key: 'process', limit: this.options.streamsPerProcess },
      { key: JSON.stringify([tenant]), limit: this.options.streamsPerTenant },
      { key: JSON.stringify([tenant, client]), limit: this.options.streamsPerClient },
    ];
    for (const { key, limit } of slots) {
      requireRoom(this.counts.get(key) ?? 0, { subject: 'open streams', limit, retryAfterSeconds: 5 });
    }
    for (const { key } of slots) this.add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const { key } of slots) this.add(key, -1);
      isTaken = false;
    };
  }

  private add(key: string, change: number): void {
    const count = (this.counts.get(key) ?? 0) + change;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}
