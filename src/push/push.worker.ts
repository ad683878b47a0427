import { setMaxListeners } from 'node:events';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Worker } from 'bullmq';
import { RunRedis } from '../platform/redis/connections.js';
import type { HookRef } from './cursor.store.js';
import { PushOptions } from './push.options.js';
import { PUSH_QUEUE, pushQueuePrefix } from './push.queue.js';
import { PushRunner } from './push.runner.js';

/** Slots of one BullMQ worker: more make every instant job pay for idle ones, so many slots are several workers. */
const SLOTS_EACH = 10;
/** Time for cursors to be let go when the process leaves. */
const CLOSE_MS = 1_000;

/** Takes deliveries from the queue. BullMQ only wakes us up; cursors and their leases decide. */
@Injectable()
export class PushWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(PushWorker.name);
  private readonly leaving = new AbortController();
  private workers: readonly Worker<HookRef>[] = [];

  constructor(
    private readonly runner: PushRunner,
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  onApplicationBootstrap(): void {
    // Every attempt listens; that is no leak.
    setMaxListeners(0, this.leaving.signal);
    const count = Math.ceil(this.options.concurrency / SLOTS_EACH);
    this.workers = Array.from({ length: count }, (_unused, at) =>
      this.worker(Math.min(SLOTS_EACH, this.options.concurrency - at * SLOTS_EACH)),
    );
  }

  /** Lets deliveries end, cuts the rest, and waits no longer than it must: close() hangs without Redis. */
  async beforeApplicationShutdown(): Promise<void> {
    const closed = Promise.all(this.workers.map((worker) => worker.close()));
    await Promise.race([closed, pause(this.options.drainMs)]);
    this.leaving.abort(new Error('The process leaves'));
    await Promise.race([closed, pause(CLOSE_MS)]);
  }

  private worker(slots: number): Worker<HookRef> {
    const worker = new Worker<HookRef>(PUSH_QUEUE, (job) => this.runner.run(job.data, this.leaving.signal), {
      connection: this.redis,
      prefix: pushQueuePrefix(this.options.keyPrefix),
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
      this.log.error({ event: 'push.broke', ...job?.data, error });
    });
    return worker;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
