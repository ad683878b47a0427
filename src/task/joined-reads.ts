import { isCrossSlot } from '../platform/redis/cross-slot.js';
import { JoinedRedis } from '../platform/redis/joined-redis.js';
import type { RedisClient } from '../platform/redis/redis-client.js';
import type { ScriptReply } from '../platform/redis/script/positional-script.js';
import { shardOf, type TaskKeys } from './task.keys.js';
import { TASK_SCRIPTS } from './task.scripts.js';

/** Redis does nothing else while it reads so many; none of them is large. */
const MOST_IN_ONE = 16;

interface Wanted {
  readonly owner: string;
  readonly id: string;
  readonly resolve: (reply: ScriptReply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads tasks as a whole (read.lua). Those that are asked for in one turn of the event loop are read by one call, as the commands
 * of a turn go out in one write (`JoinedRedis`): a call costs both sides more than a small task. On a Cluster one call reads
 * tasks of one shard.
 */
export class JoinedReads {
  private wanted: Wanted[] = [];
  private isApart = false;

  constructor(
    private readonly redis: RedisClient,
    private readonly keys: TaskKeys,
  ) {}

  /** Gives what read.lua says of a task. */
  read(owner: string, id: string): Promise<ScriptReply> {
    return new Promise((resolve, reject) => {
      const { wanted } = this;
      wanted.push({ owner, id, resolve, reject });
      if (wanted.length === MOST_IN_ONE) this.send();
      else if (wanted.length === 1) {
        setImmediate(() => {
          if (wanted === this.wanted) this.send();
        });
      }
    });
  }

  private send(): void {
    const { wanted } = this;
    this.wanted = [];
    if (this.isApart) this.answerByShard(wanted);
    else void this.answer(wanted);
    // Else they would wait for the end of the next turn.
    if (this.redis instanceof JoinedRedis) this.redis.writeNow();
  }

  private answerByShard(wanted: readonly Wanted[]): void {
    for (const some of byShard(wanted)) void this.answer(some);
  }

  /** One call on one server; on a Cluster one for each shard. */
  private async answer(wanted: readonly Wanted[]): Promise<void> {
    try {
      const replies = await this.ask(wanted);
      wanted.forEach(({ resolve }, at) => {
        resolve(replies[at] ?? null);
      });
    } catch (error) {
      if (isCrossSlot(error)) {
        this.isApart = true;
        this.answerByShard(wanted);
      } else for (const { reject } of wanted) reject(error);
    }
  }

  private async ask(wanted: readonly Wanted[]): Promise<readonly ScriptReply[]> {
    const keys: string[] = [];
    const owners: string[] = [];
    for (const { owner, id } of wanted) {
      keys.push(this.keys.task(id), this.keys.history(id));
      owners.push(owner);
    }
    return (await TASK_SCRIPTS.read.run(this.redis, keys, owners)) as readonly ScriptReply[];
  }
}

function byShard(wanted: readonly Wanted[]): Iterable<readonly Wanted[]> {
  const shards = new Map<number, Wanted[]>();
  for (const one of wanted) {
    const shard = shardOf(one.id);
    const others = shards.get(shard);
    if (others === undefined) shards.set(shard, [one]);
    else others.push(one);
  }
  return shards.values();
}
