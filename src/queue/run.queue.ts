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

/** Asks for runs. A job is only a wake-up: the task's fence decides whether it runs, so adding one twice is harmless. */
@Injectable()
export class RunQueue {
  private readonly log = new Logger(RunQueue.name);

  constructor(@InjectQueue(RUN_QUEUE) private readonly queue: Queue<RunJob>) {
    queue.on('error', (error) => {
      this.log.debug({ event: 'queue.error', reason: error.message });
    });
  }

  async add(job: RunJob, delayMs = 0): Promise<void> {
    await this.queue.add('run', job, { jobId: jobId(job), delay: delayMs });
  }

  async addAll(jobs: readonly RunJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.queue.addBulk(jobs.map((job) => ({ name: 'run', data: job, opts: { jobId: jobId(job) } })));
  }

  /** How many jobs are in which state. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    return this.queue.getJobCounts('waiting', 'active', 'delayed');
  }

  /** How long the job that is next has waited since it was due; 0 when none waits. */
  async oldestWaitSeconds(): Promise<number> {
    const [next] = await this.queue.getJobs(['waiting'], 0, 0, true);
    return next === undefined ? 0 : Math.max(0, Date.now() - dueAt(next)) / 1000;
  }

  /** Worker processes that are connected. */
  async workers(): Promise<number> {
    return this.queue.getWorkersCount();
  }

  /** Jobs that wait for a worker. */
  async waiting(): Promise<number> {
    return this.queue.getWaitingCount();
  }
}

/** When a job could have begun, in ms since the epoch by the clock of the process that added it. */
export function dueAt({ timestamp, opts }: Pick<Job<RunJob>, 'timestamp' | 'opts'>): number {
  return timestamp + (opts.delay ?? 0);
}

function jobId(job: RunJob): string {
  return `${job.taskId}-${String(job.fence)}`;
}
