import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { PlaygroundKeys } from './playground.keys.js';
import { PlaygroundOptions } from './playground.options.js';

/** A person, as the owner of begun tasks, and the agent of AGENTS_FILE. */
export interface Beginner {
  readonly owner: string;
  readonly agent: string;
}

/** Tasks and contexts at an agent, by their ids there. */
export interface RemoteIds {
  readonly tasks: readonly string[];
  readonly contexts: readonly string[];
}

const MOST = 400;
const TTL_MS = 24 * 3_600_000;
/** Longer ids of an agent are not stored, so they cannot be requested. */
const MAX_ID = 256;

/**
 * The tasks and contexts that people began at agents of AGENTS_FILE. Such an agent knows only this service, and would
 * show it the tasks of all tenants: each person gets only its own.
 */
@Injectable()
export class BegunTasks {
  private readonly keys: PlaygroundKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PlaygroundOptions) { keyPrefix }: PlaygroundOptions,
  ) {
    this.keys = new PlaygroundKeys(keyPrefix);
  }

  /** Stores them for a day; the newest 400 of a person at an agent. */
  async note({ owner, agent }: Beginner, ids: RemoteIds): Promise<void> {
    const members = membersOf(ids).filter(({ length }) => length <= MAX_ID);
    if (members.length === 0) return;
    const key = this.keys.begun(owner, agent);
    const now = Date.now();
    await this.redis
      .multi()
      .zadd(key, ...members.flatMap((member) => [now, member]))
      .zremrangebyrank(key, 0, -1 - MOST)
      .pexpire(key, TTL_MS)
      .exec();
  }

  /** Whether the person began all of them. */
  async has({ owner, agent }: Beginner, ids: RemoteIds): Promise<boolean> {
    const members = membersOf(ids);
    if (members.length === 0) return true;
    const found = await this.redis.zmscore(this.keys.begun(owner, agent), ...members);
    return found.every((score) => score !== null);
  }
}

function membersOf({ tasks, contexts }: RemoteIds): readonly string[] {
  return [...new Set([...tasks.map((id) => `t:${id}`), ...contexts.map((id) => `c:${id}`)])];
}
