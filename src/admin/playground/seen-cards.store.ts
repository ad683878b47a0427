import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { PlaygroundKeys, placeOf } from './playground.keys.js';
import { PlaygroundOptions } from './playground.options.js';

/** A card as it was seen. */
export interface SeenCard {
  readonly text: string;
  /** ISO 8601: time of the first view. */
  readonly at: string;
}

interface Seen {
  readonly agent: string;
  readonly now: SeenCard;
  readonly before?: SeenCard;
}

/** Characters of a stored card; longer ones are not stored. */
const MOST = 64 * 1024;
const TTL_MS = 30 * 24 * 3_600_000;

/**
 * The cards that people of a tenant saw last, to reveal changes. A tenant has 64 slots, and an agent's name maps to one
 * of them: of two agents with the same slot, the last one viewed has it.
 */
@Injectable()
export class SeenCards {
  private readonly keys: PlaygroundKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PlaygroundOptions) { keyPrefix }: PlaygroundOptions,
  ) {
    this.keys = new PlaygroundKeys(keyPrefix);
  }

  /** Stores a card and returns its different predecessor; undefined when none is known. */
  async note(tenant: string, agent: string, text: string): Promise<SeenCard | undefined> {
    if (text.length > MOST) return undefined;
    const key = this.keys.seen(tenant);
    const place = placeOf(agent);
    const stored = await this.redis.hget(key, place);
    const known = stored === null ? undefined : (JSON.parse(stored) as Seen);
    const last = known?.agent === agent ? known : undefined;
    if (last?.now.text === text) return last.before;
    const before = last?.now;
    const seen: Seen = { agent, now: { text, at: new Date().toISOString() }, ...(before && { before }) };
    await this.redis.multi().hset(key, place, JSON.stringify(seen)).pexpire(key, TTL_MS).exec();
    return before;
  }
}
