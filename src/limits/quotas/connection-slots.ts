import type { QuotaOptions } from '../limit-options.js';
import { requireRoom } from './quota.js';

/** The kinds of open connections: an event stream, or a call that waits for its answer. */
export type HeldConnection = 'stream' | 'waiting-call';

type ConnectionQuotas = Pick<
  QuotaOptions,
  | 'streamsPerClient'
  | 'streamsPerTenant'
  | 'waitingCallsPerClient'
  | 'waitingCallsPerTenant'
  | 'streamsPerProcess'
  | 'countsUsers'
>;

interface Caller {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  /** The authentication method of the caller. */
  readonly method: string;
}

interface Slot {
  readonly key: string;
  readonly subject: string;
  readonly limit: number;
}

/** Counts open connections of this process: streams, and calls that wait for a task. */
export class ConnectionSlots {
  private readonly counts = new Map<string, number>();

  constructor(private readonly quotas: ConnectionQuotas) {}

  /** Takes a slot and returns the function that frees it; repeated calls have no effect. @throws RateLimitedError */
  take(held: HeldConnection, caller: Caller): () => void {
    const slots = this.slotsOf(held, caller);
    for (const { key, subject, limit } of slots) {
      requireRoom(this.counts.get(key) ?? 0, { subject, limit, retryAfterSeconds: 5 });
    }
    const keys = slots.map(({ key }) => key);
    for (const key of keys) this.add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const key of keys) this.add(key, -1);
      isTaken = false;
    };
  }

  private slotsOf(held: HeldConnection, { tenant, client, subject: user, method }: Caller): readonly Slot[] {
    const isStream = held === 'stream';
    const subject = isStream ? 'open streams' : 'waiting calls';
    const { streamsPerTenant, streamsPerClient, waitingCallsPerTenant, waitingCallsPerClient } = this.quotas;
    const all = { key: 'process', subject: 'open connections', limit: this.quotas.streamsPerProcess };
    // Users of one client have slots of their own; those of the tenant bound them together.
    const owner = this.quotas.countsUsers === true && user !== undefined ? [client, user] : [client];
    // The caller of the open start is this machine itself: only the limit of the process applies.
    if (!isStream && method === 'local') return [all];
    return [
      all,
      { key: JSON.stringify([held, tenant]), subject, limit: isStream ? streamsPerTenant : waitingCallsPerTenant },
      {
        key: JSON.stringify([held, tenant, ...owner]),
        subject,
        limit: isStream ? streamsPerClient : waitingCallsPerClient,
      },
    ];
  }

  private add(key: string, change: number): void {
    const count = (this.counts.get(key) ?? 0) + change;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}
