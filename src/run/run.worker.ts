import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Worker } from 'bullmq';
import { RunRedis } from '../platform/redis/connections.js';
import { TaskOptions } from '../task/task.options.js';
import { ActiveRuns } from './active-runs.js';
import { queuePrefix } from './queue/queue-prefix.js';
import { dueAt, RUN_QUEUE, type RunJob } from './queue/run.queue.js';
import { SkillRunner } from './skill-runner.js';
import { WorkerOptions } from './worker.options.js';

/**
 * Slots of one BullMQ worker. More make every instant job pay for idle ones; fewer make runs wait, since a worker fetches
 * one at a time. So many slots are several workers.
 */
const SLOTS_EACH = 7;
/** Time for released jobs to be acknowledged when the process leaves. */
const CLOSE_MS = 1_000;

/**
 * Takes jobs from the queue. BullMQ only wakes us up: its stall counter would fail a job for good after two crashes, so
 * it is out of the way, and leases and attempts of the task decide.
 */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(RunWorker.name);
  private workers: readonly Worker<RunJob>[] = [];

  constructor(
    private readonly runner: SkillRunner,
    private readonly active: ActiveRuns,
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(WorkerOptions) private readonly options: WorkerOptions,
    @Inject(TaskOptions) private readonly tasks: TaskOptions,
  ) {}

  onApplicationBootstrap(): void {
    const count = Math.ceil(this.options.concurrency / SLOTS_EACH);
    this.workers = Array.from({ length: count }, (_unused, at) => {
      const slots = Math.min(SLOTS_EACH, this.options.concurrency - at * SLOTS_EACH);
      return this.worker(slots);
    });
  }

  /**
   * Lets running skills end, hands over the rest, and waits no longer than it must: close() hangs without Redis. After a
   * Ctrl-C somebody is waiting, so running skills are handed over at once.
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    const closed = Promise.all(this.workers.map((worker) => worker.close()));
    const drainMs = signal === 'SIGINT' ? 0 : this.options.drainMs;
    const deadline = Date.now() + drainMs;
    // A job that was on its way when the workers stopped fetching is a run a moment later.
    await Promise.race([closed, wait(Math.min(drainMs, CLOSE_MS))]);
    if (!(await this.active.drained(deadline - Date.now()))) {
      this.active.stopAll('leaving');
      await this.active.drained(CLOSE_MS);
    }
    await Promise.race([closed, wait(CLOSE_MS)]);
  }

  private worker(slots: number): Worker<RunJob> {
    const worker = new Worker<RunJob>(RUN_QUEUE, (job) => this.runner.run(job.data, dueAt(job)), {
      connection: this.redis,
      prefix: queuePrefix(this.tasks.keyPrefix),
      concurrency: slots,
      lockDuration: 10_000,
      stalledInterval: 5_000,
      maxStalledCount: 1_000_000,
      drainDelay: 5,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', (error) => {
      this.log.debug({ event: 'worker.error', reason: error.message });
    });
    worker.on('failed', (job, error) => {
      this.log.error({ event: 'run.broke', ...job?.data, error });
    });
    return worker;
  }
}

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
}
