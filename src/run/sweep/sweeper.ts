import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { TaskState } from '../../protocol/task-state.js';
import { isRedisOutage } from '../../platform/redis/redis-outage.js';
import { type Downfall, SweepStore } from '../../task/sweep.store.js';
import { RunLine } from '../../task/run-line.js';
import { RunQueue, type WantedRun } from '../queue/run.queue.js';

/** How often due tasks are looked at: the least that a lost run or job can cost. */
const EVERY_MS = 500;
/** Tasks of one shard per pass; what is left waits half a second. */
const MOST_EACH = 200;
/** How often runs that wait are offered to the queue of jobs again, and how many of them: those that are next. */
const OFFER_EVERY_MS = 5_000;
const MOST_OFFERED = 100;

const ENDS: Readonly<Record<Downfall, { readonly state: TaskState; readonly text?: string }>> = {
  CANCEL_OVERDUE: { state: 'TASK_STATE_CANCELED' },
  ATTEMPTS_SPENT: {
    state: 'TASK_STATE_FAILED',
    text: 'The worker was lost each time the skill ran, and the attempts are spent.',
  },
  UNANSWERED: { state: 'TASK_STATE_FAILED', text: 'No answer came in time.' },
  NEVER_RUN: { state: 'TASK_STATE_FAILED', text: 'No worker was free to run the task in time.' },
};

/**
 * Makes good what crashes leave behind. Every live task stands in one sorted set under the time at which somebody must
 * look at it: this looks. Any number of dispatchers may do so at once, since each look is one guarded script.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Sweeper.name);
  private offeredAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly store: SweepStore,
    private readonly queue: RunQueue,
    private readonly metrics: Metrics,
    private readonly line: RunLine,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** One pass over everything that is due: first what must run or end, then what may go. */
  async sweep(): Promise<void> {
    const due = await this.store.due(MOST_EACH);
    const runs = await Promise.all(due.map((id) => this.lookApart(id)));
    const lost = runs.filter((run) => run !== undefined);
    await this.queue.addAll(lost);
    if (lost.length > 0) this.metrics.requeuedBySweep(lost.length);
    await this.offerAgain();
    const over = await this.store.over(MOST_EACH);
    await Promise.all(over.map((id) => this.purge(id)));
  }

  /** The jobs of runs that should have begun may be lost; one that is there is not added again. */
  private async offerAgain(): Promise<void> {
    if (Date.now() < this.offeredAt + OFFER_EVERY_MS) return;
    this.offeredAt = Date.now();
    const heads = await this.line.heads(MOST_OFFERED, 'all');
    await this.queue.addAll(heads.map(({ taskId, fence, place }) => ({ taskId, fence, place: Math.max(0, place) })));
  }

  private async purge(id: string): Promise<void> {
    try {
      if (await this.store.purge(id, 'finished')) this.metrics.taskPurged();
    } catch (error) {
      if (isRedisOutage(error)) throw error;
      this.log.error({ event: 'sweep.task-failed', taskId: id, reason: String(error) });
    }
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.pass(), EVERY_MS);
    this.timer.unref();
  }

  private async pass(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.log.warn({ event: 'sweep.failed', reason: error instanceof Error ? error.message : String(error) });
    } finally {
      if (!this.stopped) this.schedule();
    }
  }

  /** One task that cannot be looked at must not keep the others from their runs. */
  private async lookApart(id: string): Promise<WantedRun | undefined> {
    try {
      return await this.look(id);
    } catch (error) {
      if (isRedisOutage(error)) throw error;
      this.log.error({ event: 'sweep.task-failed', taskId: id, reason: String(error) });
      return undefined;
    }
  }

  /** The run to queue, if the task needs one. */
  private async look(id: string): Promise<WantedRun | undefined> {
    const verdict = await this.store.look(id);
    switch (verdict.kind) {
      case 'later':
        return undefined;
      case 'again':
        this.metrics.leaseExpired();
        return { taskId: id, fence: verdict.fence, place: 0 };
      case 'run':
        return { taskId: id, fence: verdict.fence, place: 0 };
      case 'end': {
        const { state, text } = ENDS[verdict.why];
        const settled = await this.store.settle(id, verdict.fence, state, text);
        if (!settled) return undefined;
        this.metrics.endedBySweep(verdict.why);
        if (verdict.why === 'ATTEMPTS_SPENT') this.metrics.leaseExpired();
        this.log.warn({ event: 'task.ended-by-sweep', taskId: id, why: verdict.why, state });
        return undefined;
      }
    }
  }
}
