import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import { lineFields } from '../../platform/logging/line-fields.js';
import { ProcessIdentity } from '../../platform/redis/process-identity.js';
import { RedisOptions } from '../../platform/redis/redis.options.js';
import { TaskOptions } from '../../tasks/task.options.js';
import { TaskKeys } from '../../tasks/task.keys.js';
import { WorkerOptions } from '../worker.options.js';
import { type BlockingCode, CURRENT_FIELDS } from './blocking-code.js';
import { type BoardedRun, RunBoard } from './run-board.js';

/** The start data of the thread. */
export interface KeeperData {
  readonly memory: SharedArrayBuffer;
  readonly places: number;
  readonly address: string;
  readonly addressFile: string | undefined;
  /** The channel of the process. */
  readonly channel: string;
  readonly options: Pick<TaskOptions, 'keyPrefix' | 'leaseMs' | 'cancelGraceMs' | 'stuckTtlMs'>;
}

/** The thread's report once the event loop is running again. */
export interface KeeperReport extends Partial<BlockingCode> {
  readonly ms: number;
  /** Whether the runs of the process kept their leases. */
  readonly kept: boolean;
}

/** Tests run the TypeScript sources, without a thread per service. */
const FROM_SOURCES = import.meta.url.endsWith('.ts');

/**
 * A thread that renews the leases of this process' runs while the event loop is blocked or starved: a run of a live
 * process is late and not lost (I17, decision 0085). Names the skill that blocks the loop.
 */
@Injectable()
export class LeaseKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(LeaseKeeper.name);
  private readonly board: RunBoard;
  private thread: Worker | undefined;
  /** The id of this process in the log of runs. */
  readonly worker: string;

  constructor(
    @Inject(TaskOptions) private readonly options: TaskOptions,
    @Inject(RedisOptions) private readonly redis: RedisOptions,
    @Inject(WorkerOptions) { concurrency }: WorkerOptions,
    identity: ProcessIdentity,
  ) {
    this.worker = identity.id;
    // A run in its last commit has passed its slot on.
    this.board = new RunBoard(2 * concurrency);
  }

  onApplicationBootstrap(): void {
    if (FROM_SOURCES) return;
    Object.assign(globalThis, { [Symbol.for(CURRENT_FIELDS)]: lineFields });
    const { keyPrefix, leaseMs, cancelGraceMs, stuckTtlMs } = this.options;
    const { memory, places } = this.board;
    const options = { keyPrefix, leaseMs, cancelGraceMs, stuckTtlMs };
    const channel = new TaskKeys(keyPrefix).runsOf(this.worker);
    const { address, addressFile } = this.redis;
    const workerData: KeeperData = { memory, places, address, addressFile, channel, options };
    this.thread = new Worker(new URL('./keeper-thread.js', import.meta.url), { workerData });
    this.thread.on('message', (report: KeeperReport) => this.log.warn({ event: 'event-loop.blocked', ...report }));
    this.thread.on('error', (error) => this.log.error({ event: 'lease-keeper.broke', error }));
    this.thread.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread?.terminate();
  }

  /** Renews the lease of a run until the returned function is called, whatever the event loop does. */
  add(run: BoardedRun): () => void {
    return this.board.add(run);
  }

  /** Signals that the event loop is running. */
  beat(): void {
    this.board.beat();
  }
}
