import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../../platform/redis/connection/connections.js';
import { type RunningProcess, runningProcesses } from '../../../platform/redis/running-processes.js';
import { RunQueue } from '../../../runs/queue/run.queue.js';
import { type HeldRun, type NextRun, RunSurvey } from '../../../tasks/survey/run-survey.js';
import { type TaskCount, TaskIndex } from '../../../tasks/lists/task-index.js';
import { ConsoleOptions } from '../console.options.js';

/** A tenant's runs in the fair queues and on workers. */
export interface TenantShare {
  readonly tenant: string;
  readonly running: number;
  /** Its runs among the next ones: `QueueView.next`. */
  readonly next: number;
}

export interface QueueView {
  /** Waiting and active runs, parked tasks, and pending wake-ups. */
  readonly counts: Readonly<Record<string, number>>;
  readonly oldestWaitSeconds: number;
  readonly tenants: readonly TenantShare[];
  /** In the order of service. */
  readonly next: readonly NextRun[];
  readonly tasks: readonly TaskCount[];
}

export interface WorkerView extends RunningProcess {
  readonly runs: readonly HeldRun[];
}

export interface WorkersView {
  readonly processes: readonly WorkerView[];
  /** Runs of a process that no longer reports: they are taken over when their leases expire. */
  readonly orphans: readonly HeldRun[];
}

/** Shown runs at the head of the queues. */
const SHOWN = 100;

/** Reads queue and workers, over all tenants. Bounded: nothing is read as a whole. */
@Injectable()
export class PlatformSurvey {
  constructor(
    private readonly runQueue: RunQueue,
    private readonly runs: RunSurvey,
    private readonly tasks: TaskIndex,
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(ConsoleOptions) private readonly options: ConsoleOptions,
  ) {}

  async queue(): Promise<QueueView> {
    const [counts, oldestWaitSeconds, next, held, tasks] = await Promise.all([
      this.runQueue.counts(),
      this.runQueue.oldestWaitSeconds(),
      this.runs.next(SHOWN),
      this.runs.held(),
      this.tasks.counts(),
    ]);
    return { counts, oldestWaitSeconds, tenants: sharesOf(held, next), next, tasks };
  }

  async workers(): Promise<WorkersView> {
    const [known, held] = await Promise.all([this.processes(), this.runs.held()]);
    const ids = new Set(known.map(({ id }) => id));
    return {
      processes: known.map((process) => ({ ...process, runs: held.filter(({ worker }) => worker === process.id) })),
      orphans: held.filter(({ worker }) => !ids.has(worker)),
    };
  }

  async processes(): Promise<readonly RunningProcess[]> {
    const all = await runningProcesses(this.redis, this.options.keyPrefix);
    return [...all].sort((one, other) => (one.role + one.id < other.role + other.id ? -1 : 1));
  }
}

function sharesOf(held: readonly HeldRun[], next: readonly NextRun[]): readonly TenantShare[] {
  const tenants = new Set([...held, ...next].map(({ tenant }) => tenant));
  const shares = [...tenants].map((tenant) => {
    const isOf = (run: { readonly tenant: string }): boolean => run.tenant === tenant;
    return { tenant, running: held.filter(isOf).length, next: next.filter(isOf).length };
  });
  return shares.sort((one, other) => other.running + other.next - one.running - one.next);
}
