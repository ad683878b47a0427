import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { FairQueue } from '../store/fair-queue.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { PARKED, stateWord } from '../record/state-word.js';
import { traitsOf } from '../record/task-record.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { FIELD } from '../task-fields.js';

/** A run that a process holds. */
export interface HeldRun {
  readonly taskId: string;
  readonly tenant: string;
  readonly skill: string;
  /** The id of its process. */
  readonly worker: string;
  readonly leaseEndsInMs: number;
}

/** A run that waits in the fair queues. */
export interface NextRun {
  readonly taskId: string;
  readonly tenant: string;
  readonly skill: string;
  /** Lower positions are served first. */
  readonly position: number;
}

/** Held runs read per shard. */
const MAX_IN_SHARD = 64;

/** Reads held and next runs, of all tenants: for operators of the platform only. */
@Injectable()
export class RunSurvey {
  private readonly keys: TaskKeys;
  private readonly leaseMs: number;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix, leaseMs }: TaskOptions,
    private readonly queue: FairQueue,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(keyPrefix);
    this.leaseMs = leaseMs;
  }

  /** The runs held by processes: those whose leases expire soonest, at most 1,024. */
  async held(): Promise<readonly HeldRun[]> {
    const now = this.clock.now();
    const shards = ALL_SHARDS.map((shard) => this.heldIn(shard, now));
    return (await Promise.all(shards)).flat();
  }

  private async heldIn(shard: number, now: number): Promise<readonly HeldRun[]> {
    const range = [now, now + this.leaseMs, 'WITHSCORES', 'LIMIT', 0, MAX_IN_SHARD] as const;
    const due = await this.redis.zrangebyscore(this.keys.due(shard), ...range);
    const entries = Array.from({ length: due.length / 2 }, (_unused, at) => [due[2 * at] ?? '', due[2 * at + 1]]);
    const runs = entries.map(([id = '', ends]) => this.run(id, Number(ends) - now));
    return (await Promise.all(runs)).flatMap((run) => (run === undefined ? [] : [run]));
  }

  private async run(taskId: string, leaseEndsInMs: number): Promise<HeldRun | undefined> {
    const [word, traits, channel] = await this.redis.hmget(
      this.keys.task(taskId),
      FIELD.word,
      FIELD.traits,
      FIELD.worker,
    );
    if (typeof word !== 'string') return undefined;
    const { nonce } = stateWord(word);
    if (nonce === '' || nonce === PARKED) return undefined;
    const { tenant, skillId: skill } = traitsOf(traits ?? '');
    const worker = channel?.slice(this.keys.process('').length).split(':', 1)[0] ?? '';
    return { taskId, tenant, skill, worker, leaseEndsInMs };
  }

  /** The next runs, at most `limit`. */
  async next(limit: number): Promise<readonly NextRun[]> {
    const heads = await this.queue.heads(limit, 'all');
    return Promise.all(
      heads.map(async ({ taskId, position }) => {
        const { tenant, skillId: skill } = traitsOf(
          (await this.redis.hget(this.keys.task(taskId), FIELD.traits)) ?? '',
        );
        return { taskId, tenant, skill, position };
      }),
    );
  }
}
