import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { CalmLog } from '../../platform/logging/calm-log.js';
import { isRedisOutage } from '../../platform/redis/connection/redis-outage.js';
import { ContextStore } from '../../tasks/values/context.store.js';
import { type EndReason, fault, SweepStore, type Evaluation } from '../../tasks/store/sweep.store.js';
import { TreeSweep } from '../../agents/tree-sweep.js';
import { RunQueue } from '../queue/run.queue.js';
import { SweepMetrics } from './sweep.metrics.js';

/** Interval of the sweep: the minimum delay after a lost run or job. */
const EVERY_MS = 500;
/** Tasks of one shard per pass; the rest waits half a second. */
const MAX_EACH = 200;
/** Concurrent removals: commands of a rescue on the same connection wait for at most these. */
const PURGES_AT_ONCE = 64;
/** Parked tasks of one shard that wake in one script, and maximum scripts per pass. */
const WAKES_EACH = 100;
const MAX_WAKE_ROUNDS = 100;
const ENDS: Readonly<Record<EndReason, { readonly state: TaskState; readonly text?: string }>> = {
  CANCEL_OVERDUE: { state: 'TASK_STATE_CANCELED' },
  ATTEMPTS_SPENT: {
    state: 'TASK_STATE_FAILED',
    text: 'The worker was lost each time the skill ran, and the attempts are spent.',
  },
  UNDO_SPENT: {
    state: 'TASK_STATE_FAILED',
    text: 'The worker was lost each time it undid the finished work of the task: some of it may not be undone.',
  },
  UNANSWERED: { state: 'TASK_STATE_FAILED', text: 'No answer came in time.' },
  NEVER_RUN: { state: 'TASK_STATE_FAILED', text: 'No worker was free to run the task in time.' },
};

/**
 * Recovers tasks after crashes. Every live task is in one sorted set, scored by the time of its next check; the sweep
 * makes these checks. Any number of dispatchers may sweep concurrently, since each check is one guarded script.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Sweeper.name);
  private readonly failures = {
    rescue: new CalmLog(this.log, 'sweep.failed'),
    purge: new CalmLog(this.log, 'sweep.failed'),
  };
  private readonly timers = new Map<'rescue' | 'purge', NodeJS.Timeout>();
  private stopped = false;
  /** Until then no lease is judged, ms of this process. */
  private judgesAt = 0;
  /** Whether leases were judged since that was last put off. */
  private hasJudged = true;

  constructor(
    private readonly store: SweepStore,
    private readonly contexts: ContextStore,
    private readonly queue: RunQueue,
    private readonly metrics: SweepMetrics,
    private readonly trees: TreeSweep,
  ) {}

  /** Two independent passes: removals are many, and must not delay the recovery of lost runs. */
  onApplicationBootstrap(): void {
    this.schedule('rescue');
    this.schedule('purge');
  }

  onModuleDestroy(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  /** One pass over everything that must run or end. */
  async sweep(): Promise<void> {
    await this.wakeParked();
    const judges = performance.now() >= this.judgesAt;
    const due = judges ? await this.store.due(MAX_EACH) : [];
    this.hasJudged ||= judges;
    const runs = await Promise.all(due.map((id) => this.checkApart(id)));
    const queued = runs.filter((isQueued) => isQueued).length;
    if (queued > 0) {
      this.queue.wake(queued);
      this.metrics.requeuedBySweep(queued);
    }
    const begun = await this.trees.sweep(MAX_EACH);
    if (begun > 0) this.queue.wake(begun);
  }

  /** One pass over ended tasks and context state beyond their retention. */
  async purge(): Promise<void> {
    const over = await this.store.over(MAX_EACH);
    for (let from = 0; from < over.length && !this.stopped; from += PURGES_AT_ONCE) {
      await Promise.all(over.slice(from, from + PURGES_AT_ONCE).map((id) => this.purgeOne(id)));
    }
    await this.contexts.forgetDue(MAX_EACH);
  }

  /** Ends all expired waits in this pass: a waking task must not delay the recovery of a lost one. */
  private async wakeParked(): Promise<void> {
    for (let round = 0, isMore = true; isMore && round < MAX_WAKE_ROUNDS; round += 1) {
      const woken = await this.store.wake(WAKES_EACH);
      if (woken.woken > 0) this.queue.wake(woken.woken);
      isMore = woken.isMore;
    }
  }

  private async purgeOne(id: string): Promise<void> {
    try {
      if (await this.store.purge(id, 'finished')) this.metrics.taskPurged();
    } catch (error) {
      if (isRedisOutage(error)) throw error;
      this.log.error({ event: 'sweep.task-failed', taskId: id, reason: String(error) });
    }
  }

  private schedule(what: 'rescue' | 'purge'): void {
    const at = performance.now() + EVERY_MS;
    const pass = (): void => {
      // Once, until leases were judged: a process that is always late must recover lost runs, too.
      if (this.hasJudged && performance.now() - at > this.store.leaseMs / 2) this.judgeLater();
      void this.pass(what);
    };
    this.timers.set(what, setTimeout(pass, EVERY_MS).unref());
  }

  /** Redis was away, or this process was starved: then the workers could not renew their leases either. */
  private judgeLater(): void {
    this.judgesAt = performance.now() + this.store.leaseMs;
    this.hasJudged = false;
  }

  private async pass(what: 'rescue' | 'purge'): Promise<void> {
    try {
      await (what === 'rescue' ? this.sweep() : this.purge());
      this.failures[what].works();
    } catch (error) {
      if (isRedisOutage(error)) this.judgeLater();
      this.failures[what].warn({ pass: what, reason: error instanceof Error ? error.message : String(error) });
    } finally {
      if (!this.stopped) this.schedule(what);
    }
  }

  /** A task whose check fails must not block the others. */
  private async checkApart(id: string): Promise<boolean> {
    try {
      return await this.evaluate(id);
    } catch (error) {
      if (isRedisOutage(error)) throw error;
      this.log.error({ event: 'sweep.task-failed', taskId: id, reason: String(error) });
      return false;
    }
  }

  /** Whether the task is now in its fair queue and needs a worker. */
  private async evaluate(id: string): Promise<boolean> {
    const verdict = await this.store.evaluate(id);
    switch (verdict.kind) {
      case 'later':
        return false;
      case 'again':
        this.metrics.leaseExpired();
        this.log.log({
          ...(await this.store.callOf(id)),
          ...{ event: 'run.lost', taskId: id, fence: verdict.fence },
          reason: verdict.isLate ? 'its lease ended, and its process lives' : 'its lease ended',
        });
        return true;
      case 'run':
        return true;
      case 'end':
        await this.end(id, verdict);
        return false;
    }
  }

  private async end(id: string, { why, fence }: Extract<Evaluation, { kind: 'end' }>): Promise<void> {
    const { state, text } = ENDS[why];
    if ((await this.store.settle(id, fence, state, text === undefined ? text : fault(text))) === 'moved') return;
    this.metrics.endedBySweep(why);
    if (why === 'ATTEMPTS_SPENT' || why === 'UNDO_SPENT') this.metrics.leaseExpired();
    this.log.warn({ ...(await this.store.callOf(id)), event: 'task.ended-by-sweep', taskId: id, why, state });
  }
}
