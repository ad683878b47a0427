import { createHash } from 'node:crypto';

/** Keys of what people try in the playground. */
export class PlaygroundKeys {
  constructor(private readonly prefix: string) {}

  /** Sorted set: the tasks (`t:`) and contexts (`c:`) that an owner has at an agent of AGENTS_FILE → ms. TTL one day. */
  begun(owner: string, agent: string): string {
    return `${this.prefix}:playground:${digest(JSON.stringify([owner, agent]))}:begun`;
  }
}

function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}
