import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import type { Claim } from './claimed-run.js';
import type { Beat } from './run-outcomes.js';
import { OPEN_STATES } from '../record/task-rules.js';
import { shardOf, TaskKeys } from '../task.keys.js';
import type { TaskOptions } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';

/** The right of a run to its task, without the data for its work. */
export type RunHold = Pick<Claim, 'taskId' | 'fence' | 'nonce'> & { readonly isLimited: boolean };

/** Longer than the rest of every lease. */
const GAVE_UP_MS = 60_000;
/** In place of the one run that a process gave up. */
export const ALL_RUNS = '1';
const BEATS = { OK: 'ok', CANCEL: 'cancel', LOST: 'lost' } as const;

/** Renews and releases the leases of runs. */
export class RunHolds {
  private readonly keys: TaskKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly options: Pick<TaskOptions, 'keyPrefix' | 'leaseMs' | 'cancelGraceMs' | 'stuckTtlMs'>,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Renews the leases of runs, one script per shard; returns by task id whether each may continue. */
  async renew(runs: readonly Pick<Claim, 'taskId' | 'fence' | 'nonce'>[]): Promise<ReadonlyMap<string, Beat>> {
    const shards = new Map<number, Pick<Claim, 'taskId' | 'fence' | 'nonce'>[]>();
    for (const run of runs) {
      const shard = shardOf(run.taskId);
      shards.set(shard, [...(shards.get(shard) ?? []), run]);
    }
    const beats = new Map<string, Beat>();
    const { leaseMs, cancelGraceMs } = this.options;
    const asked = [...shards].map(async ([shard, some]) => {
      const keys = { due: this.keys.due(shard), tasks: some.map(({ taskId }) => this.keys.task(taskId)) };
      const claims = some.map(({ taskId, fence, nonce }) => ({ id: taskId, holder: ` ${String(fence)} ${nonce} ` }));
      const args = { leaseMs, graceMs: cancelGraceMs, claims };
      const reply = await TASK_SCRIPTS.heartbeat.run(this.redis, keys, args);
      some.forEach(({ taskId }, at) =>
        beats.set(taskId, BEATS[(reply as readonly (keyof typeof BEATS)[])[at] ?? 'LOST']),
      );
    });
    await Promise.all(asked);
    return beats;
  }

  /** Renews no more the lease of the run that blocks a process, or of all where it is unknown: lost, although the process lives. */
  async giveUp(channel: string, taskId = ALL_RUNS): Promise<void> {
    await this.redis.set(this.keys.gaveUp(channel), taskId, 'PX', GAVE_UP_MS);
  }

  /** Returns the fence of the next run, or undefined when the run had lost its task (`RunStore.release`). */
  async release(run: RunHold, how: 'handed-over' | 'broken', delayMs = 0): Promise<number | undefined> {
    const { taskId } = run;
    const { queue, limitedQueue } = this.keys.queuesOf(taskId);
    const keys = {
      ...{ task: this.keys.task(taskId), due: this.keys.dueOf(taskId), parked: this.keys.parked(shardOf(taskId)) },
      queue: run.isLimited ? limitedQueue : queue,
    };
    const reply = await TASK_SCRIPTS.release.run(this.redis, keys, {
      ...{ id: taskId, fence: run.fence, nonce: run.nonce, openStates: OPEN_STATES },
      ...{ delayMs, stuckMs: this.options.stuckTtlMs, isCounted: how === 'broken' ? 1 : 0 },
    });
    const [verdict, fence] = reply as [string, number?];
    return verdict === 'RELEASED' ? fence : undefined;
  }
}
