import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';

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
export class RunQueue {
  private readonly log = new Logger(RunQueue.name);

  constructor(@InjectQueue(RUN_QUEUE) private readonly queue: Queue<RunJob>) {
    queue.on('error', (error) => {
      this.log.debug({ event: 'queue.error', reason: error.message });
    });
  }

  async add(job: RunJob, { delayMs = 0, place = 0 }: WhenToRun = {}): Promise<void> {
    await this.queue.add('run', job, {
      jobId: jobId(job),
      ...(delayMs === 0 ? {} : { delay: delayMs }),
      ...inLine(place),
    });
  }

  async addAll(runs: readonly WantedRun[]): Promise<void> {
    if (runs.length === 0) return;
    const jobs = runs.map(({ place, ...job }) => {
      return { name: 'run', data: job, opts: { jobId: jobId(job), ...inLine(place) } };
    });
    await this.queue.addBulk(jobs);
  }

  /** How many jobs are in which state. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const counts = await this.queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
    return { waiting: waiting + prioritized, active, delayed };
  }

  /** How long the jobs that are next have waited since they were due, at most; 0 when none waits. */
  async oldestWaitSeconds(): Promise<number> {
    const next = await this.queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
    return Math.max(0, ...next.map((job) => Date.now() - dueAt(job))) / 1000;
  }

  /** Jobs that wait for a worker. */
  async waiting(): Promise<number> {
    return (await this.counts()).waiting ?? 0;
  }
}

/** When a job could have begun, in ms since the epoch by the clock of the process that added it. */
export function dueAt({ timestamp, opts }: Pick<Job<RunJob>, 'timestamp' | 'opts'>): number {
  return timestamp + (opts.delay ?? 0);
}

/** BullMQ serves jobs without a priority first, and then those with one from the lowest on. */
function inLine(place: number): { readonly priority?: number } {
  return place === 0 ? {} : { priority: Math.min(place, LAST_PLACE) };
}

function jobId(job: RunJob): string {
  return `${job.taskId}-${String(job.fence)}`;
}
