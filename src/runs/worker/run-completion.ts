import { Inject, Injectable } from '@nestjs/common';
import { type ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { SweepStore } from '../../tasks/store/sweep.store.js';
import { isRedisOutage } from '../../platform/redis/connection/redis-outage.js';
import { TaskStore } from '../../tasks/store/task.store.js';
import { TaskOptions } from '../../tasks/task.options.js';
import { RunQueue } from '../queue/run.queue.js';
import { HELD_MS } from '../../blocks/blocks.js';
import type { TurnResult } from '../turn/skill-turn.js';

/** Pause before a failed run is retried: 1 s, 2 s, 4 s … */
const RETRY_BASE_MS = 1_000;

/** Decides the step after a run: the next run, a requeue at shutdown, or the end of a canceled task. */
@Injectable()
export class RunCompletion {
  /** Time for a canceled skill to stop by itself; the sweep ends it only later. */
  readonly graceMs: number;

  constructor(
    private readonly store: RunStore,
    private readonly sweep: SweepStore,
    private readonly queue: RunQueue,
    @Inject(TaskOptions) private readonly options: TaskOptions,
    private readonly tasks: TaskStore,
  ) {
    this.graceMs = options.cancelGraceMs;
  }

  /** Lost runs are not failures of the skill, and have a limit of their own (evaluate.lua). */
  mayRetry(run: ClaimedRun, maxAttempts: number | undefined): boolean {
    return run.attempt - (run.losses ?? 0) < (maxAttempts ?? this.options.maxAttempts);
  }

  /** Reports that this many more runs wait. */
  wake(runs: number): void {
    this.queue.wake(runs);
  }

  /** Returns the ending, for the log. */
  async after(run: ClaimedRun, result: TurnResult): Promise<string> {
    switch (result.kind) {
      case 'committed':
        // The end of a child has queued other runs.
        if (result.runs !== undefined) this.wake(result.runs);
        return (await this.isReplicated(run, result.seq)) ? 'committed' : 'not-replicated';
      case 'next-turn':
        this.queue.wake();
        return 'next-turn';
      case 'parked':
        return 'parked';
      case 'ends':
        return this.sweep.settle(run.taskId, run.fence, result.state, result.said);
      case 'threw':
        await this.again(run, 'broken', RETRY_BASE_MS * 2 ** (run.attempt - 1));
        return 'retry';
      case 'stopped':
        if (result.reason === 'canceled') await this.sweep.settle(run.taskId, run.fence, 'TASK_STATE_CANCELED');
        if (result.reason === 'held') await this.again(run, 'handed-over', HELD_MS);
        if (result.reason === 'leaving') await this.again(run, 'handed-over', 0);
        return result.reason;
    }
  }

  /**
   * Whether replicas have the end of the turn, with `REDIS_WAIT_REPLICAS`. If they do not and the primary is lost, the
   * task returns to its earlier state, and the sweep requeues it.
   */
  private async isReplicated({ taskId }: ClaimedRun, seq: number): Promise<boolean> {
    try {
      await this.tasks.confirm(taskId, { seq });
      return true;
    } catch (error) {
      if (!isRedisOutage(error)) throw error;
      return false;
    }
  }

  /** The next run is in the fair queue when this resolves; the sweep adds a delayed one. */
  private async again(run: ClaimedRun, how: 'handed-over' | 'broken', delayMs: number): Promise<void> {
    const fence = await this.store.release(run, how, delayMs);
    if (fence !== undefined && delayMs === 0) this.queue.wake();
  }
}
