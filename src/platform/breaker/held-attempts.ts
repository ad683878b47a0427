import type { EndpointBreaker, EndpointKeys } from './endpoint-breaker.js';

/** Interval at which a process renews the slots of its attempts, ms. */
const RENEW_MS = 4_000;

/** Renews the slots of a process's attempts while they last: only those of dead processes expire. */
export class HeldAttempts {
  /** By token. */
  private readonly held = new Map<string, EndpointKeys>();
  private renewing: NodeJS.Timeout | undefined;

  /** @param failed called where a renewal fails */
  constructor(
    private readonly breaker: EndpointBreaker,
    private readonly failed: (error: unknown) => void,
  ) {}

  hold(token: string, keys: EndpointKeys): void {
    this.held.set(token, keys);
    this.renewing ??= setInterval(() => {
      this.renew().catch(this.failed);
    }, RENEW_MS).unref();
  }

  release(token: string): void {
    this.held.delete(token);
    if (this.held.size > 0) return;
    clearInterval(this.renewing);
    this.renewing = undefined;
  }

  async renew(): Promise<void> {
    await Promise.all([...this.held].map(([token, keys]) => this.breaker.hold(keys, token)));
  }
}
