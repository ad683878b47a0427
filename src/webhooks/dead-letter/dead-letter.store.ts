import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { ALL_SHARDS } from '../../tasks/task.keys.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { PUSH_SCRIPTS } from '../push.scripts.js';

/** An undelivered event, or a stopped webhook from one event on. */
export interface DeadLetter {
  /** `<task id> <config id> <seq>`. */
  readonly name: string;
  readonly taskId: string;
  readonly configId: string;
  readonly seq: number;
  /**
   * `event`: delivery continued with the next event. `webhook`: the webhook was stopped; this event and all later ones
   * wait.
   * `gap`: the task's log dropped the events from `seq` to `lastSeq` before their delivery; they cannot be redriven,
   * and delivery continued after them.
   */
  readonly scope: 'event' | 'webhook' | 'gap';
  readonly lastSeq?: number;
  readonly tenant: string;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  readonly reason: string;
  /** Failed attempts of the event. */
  readonly attempts: number;
  /** Time of dead-lettering, ISO 8601. */
  readonly at: string;
}

export function deadLetterName(taskId: string, configId: string, seq: number): string {
  return `${taskId} ${configId} ${String(seq)}`;
}

/** Selects dead letters; absent members match any. */
export interface DeadLetterFilter {
  readonly tenant?: string;
  /** Scheme, host and port. */
  readonly origin?: string;
  readonly taskId?: string;
  /** Given up at this time or later; ms since 1970. */
  readonly since?: number;
  readonly until?: number;
}

/** Counts of letters that are delivered again, and of those whose task, webhook or events are gone. */
export interface Redriven {
  revived: number;
  gone: number;
}

const AT_ONCE = 500;

/** Undeliverable events and stopped webhooks, for inspection and redelivery. */
@Injectable()
export class DeadLetterStore {
  private readonly keys: PushKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PushOptions) options: PushOptions,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /** Newest first, at most `limit`. */
  async list(filter: DeadLetterFilter, limit: number): Promise<readonly DeadLetter[]> {
    const shards = ALL_SHARDS.map((shard) => this.listShard(shard, filter, limit));
    const letters = (await Promise.all(shards)).flat();
    return letters.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
  }

  async count(): Promise<number> {
    const shards = ALL_SHARDS.map((shard) => this.redis.hlen(this.keys.dead(shard).dead));
    return (await Promise.all(shards)).reduce((sum, length) => sum + length, 0);
  }

  /** Redelivers from the oldest on. `gone`: dead letters whose task, webhook or events no longer exist. */
  async redrive(filter: DeadLetterFilter, limit: number, done: Redriven = { revived: 0, gone: 0 }): Promise<Redriven> {
    const letters = await this.list(filter, limit);
    for (const letter of letters.toReversed()) done[(await this.revive(letter)) ? 'revived' : 'gone'] += 1;
    return done;
  }

  /** Removes the dead letters of deleted tasks; returns how many there were. */
  async forgetLost(filter: DeadLetterFilter): Promise<number> {
    const letters = await this.list(filter, Infinity);
    const lost = await Promise.all(letters.map(async (letter) => ({ letter, isLost: await this.isLost(letter) })));
    const gone = lost.filter(({ isLost }) => isLost).map(({ letter }) => letter);
    for (const letter of gone) await this.drop(letter);
    return gone.length;
  }

  private async drop({ taskId, name }: Pick<DeadLetter, 'taskId' | 'name'>): Promise<void> {
    const { dead, deadTimes } = this.keys.deadOf(taskId);
    await Promise.all([this.redis.hdel(dead, name), this.redis.zrem(deadTimes, name)]);
  }

  private async isLost({ taskId }: DeadLetter): Promise<boolean> {
    return (await this.redis.exists(this.keys.task(taskId))) === 0;
  }

  /** False when the task, its webhook or the events no longer exist. */
  private async revive({ taskId, configId, name, seq, scope }: DeadLetter): Promise<boolean> {
    if (scope === 'gap') {
      await this.drop({ taskId, name });
      return false;
    }
    const keys = { ...this.keys.cursor(taskId), ...this.keys.deadOf(taskId) };
    const args = { id: taskId, hook: configId, deadName: name, event: seq, ...this.keys.hintOf(taskId) };
    return (await PUSH_SCRIPTS.revive.run(this.redis, keys, args)) === 'OK';
  }

  private async listShard(shard: number, filter: DeadLetterFilter, limit: number): Promise<readonly DeadLetter[]> {
    const { dead, deadTimes } = this.keys.dead(shard);
    const { since = '-inf', until = '+inf' } = filter;
    const found: DeadLetter[] = [];
    for (let offset = 0; found.length < limit; offset += AT_ONCE) {
      const names = await this.redis.zrevrangebyscore(deadTimes, until, since, 'LIMIT', offset, AT_ONCE);
      if (names.length === 0) break;
      const texts = await this.redis.hmget(dead, ...names);
      found.push(
        ...texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as DeadLetter])).filter(matching(filter)),
      );
    }
    return found;
  }
}

function matching({ tenant, origin, taskId }: DeadLetterFilter): (letter: DeadLetter) => boolean {
  return (letter) =>
    (tenant === undefined || letter.tenant === tenant) &&
    (origin === undefined || letter.origin === origin) &&
    (taskId === undefined || letter.taskId === taskId);
}
