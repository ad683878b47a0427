import type { EndpointKeys } from '../../platform/breaker/endpoint-breaker.js';

/** Keys of the shared state of remote agents. */
export class RemoteKeys {
  constructor(private readonly prefix: string) {}

  /** String: the card of an agent with its validators, JSON. TTL: as long as it may be used while the agent is down. */
  card(name: string): string {
    return `${this.prefix}:remote:{${name}}:card`;
  }

  /** String: a process fetches the card. TTL 10 s. */
  fetching(name: string): string {
    return `${this.prefix}:remote:{${name}}:fetching`;
  }

  /** Hash: the circuit breaker of an agent; sorted set: its calls in progress. TTL 30 days and one hour. */
  gate(name: string): EndpointKeys {
    const gate = `${this.prefix}:remote:{${name}}:gate`;
    return { endpoint: gate, attempts: `${gate}:now`, groupAttempts: `${gate}:now` };
  }
}
