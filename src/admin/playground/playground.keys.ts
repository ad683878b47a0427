import { createHash } from 'node:crypto';

/** Keys of the playground. */
export class PlaygroundKeys {
  constructor(private readonly prefix: string) {}

  /**
   * Sorted set: the tasks (`t:`) and contexts (`c:`) that an owner has at an agent of AGENTS_FILE → ms. TTL one day.
   */
  begun(owner: string, agent: string): string {
    return `${this.prefix}:playground:${digest(JSON.stringify([owner, agent]))}:begun`;
  }

  /** Hash: slot → an agent's card seen by people of a tenant, JSON; at most 64. TTL 30 days. */
  seen(tenant: string): string {
    return `${this.prefix}:playground:${digest(tenant)}:seen`;
  }
}

const PLACES = 64;

/** The slot of an agent among the cards that a tenant has seen. */
export function placeOf(agent: string): string {
  return String(parseInt(digest(agent).slice(0, 8), 16) % PLACES);
}

function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}
