import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { JobQueue, type NewJob } from '../../platform/queue/job-queue.js';

/** Name of the queue of runs. */
export const RUN_QUEUE = 'runs';

/** What a job carries: which run of which task. Everything else is read from the task itself. */
export interface RunJob {
  readonly taskId: string;
  readonly fence: number;
}

/** A run with its place in line: lower ones are served first, those of one place in the order in which they came. */
export interface WantedRun extends RunJob {
  readonly place: number;
}

export interface WhenToRun {
  readonly delayMs?: number;
  /** Default 0: ahead of all that stand in line, for a run that goes on with what has begun. */
  readonly place?: number;
}

/** The most that BullMQ takes for a priority; those behind it share it. */
const LAST_PLACE = 2 ** 21;

/** Asks for runs. A job is only a wake-up: the task's fence decides whether it runs, so adding one twice is harmless. */
@Injectable()
export class RunQueue extends JobQueue<RunJob> {
  constructor(@InjectQueue(RUN_QUEUE) queue: Queue<RunJob>) {
    super(queue, 'run');
  }

  add(job: RunJob, when: WhenToRun = {}): Promise<void> {
    return this.addJobs([newJob(job, when)]);
  }

  addAll(runs: readonly WantedRun[]): Promise<void> {
    return this.addJobs(runs.map(({ place, ...job }) => newJob(job, { place })));
  }

  /** How long the jobs that are next have waited since they were due, at most; 0 when none waits. */
  async oldestWaitSeconds(): Promise<number> {
    const next = await this.queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
    return Math.max(0, ...next.map((job) => Date.now() - dueAt(job))) / 1000;
  }
}

/** When a job could have begun, in ms since the epoch by the clock of the process that added it. */
export function dueAt({ timestamp, opts }: Pick<Job<RunJob>, 'timestamp' | 'opts'>): number {
  return timestamp + (opts.delay ?? 0);
}

/** BullMQ serves jobs without a priority first, and then those with one from the lowest on. */
function newJob(job: RunJob, { delayMs = 0, place = 0 }: WhenToRun): NewJob<RunJob> {
  return {
    id: `${job.taskId}-${String(job.fence)}`,
    data: job,
    options: {
      ...(delayMs === 0 ? {} : { delay: delayMs }),
      ...(place === 0 ? {} : { priority: Math.min(place, LAST_PLACE) }),
    },
  };
}
