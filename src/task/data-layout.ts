import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { CommandRedis } from '../redis/connections.js';
import type { RedisClient } from '../redis/redis-client.js';
import { TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';

/**
 * Numbers of the layout of stored data. A release that changes the layout first only `reads` it; the one after it
 * `writes` it. So two releases that follow each other can run side by side, and either can follow the other.
 */
export const DATA_LAYOUT = { writes: 1, reads: 1 } as const;

const EVERY_MS = 5_000;

/** What is stored was written by a release that this one cannot read. The message is for the operator. */
export class NewerDataError extends Error {
  override readonly name = 'NewerDataError';
}

/** The newest layout that was written; 0 where nothing was yet. */
export async function storedLayout(redis: RedisClient, keyPrefix: string): Promise<number> {
  return Number((await redis.get(new TaskKeys(keyPrefix).layout())) ?? 0);
}

/** Throws `NewerDataError` when data of this layout is not for this code. */
export function assertReadable(stored: number, keyPrefix: string): void {
  if (stored <= DATA_LAYOUT.reads) return;
  throw new NewerDataError(
    `The data under KEY_PREFIX ${keyPrefix} has layout ${String(stored)}, and this release reads up to ` +
      `${String(DATA_LAYOUT.reads)}. Use the release that wrote it, or the one before that.`,
  );
}

/**
 * Keeps this process from data that it cannot read: it does not start on it, and leaves in order when a newer release
 * begins to write it. Nothing is lost: processes of the newer release go on with the tasks.
 */
@Injectable()
export class DataLayout implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(DataLayout.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
  ) {}

  async onModuleInit(): Promise<void> {
    const { keyPrefix } = this.options;
    const { writes, reads } = DATA_LAYOUT;
    const stored = await TASK_SCRIPTS.layout.run(this.redis, [new TaskKeys(keyPrefix).layout()], [writes, reads]);
    assertReadable(Number(stored), keyPrefix);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const { keyPrefix } = this.options;
    try {
      assertReadable(await storedLayout(this.redis, keyPrefix), keyPrefix);
    } catch (error) {
      // While Redis is away nothing is written either.
      if (!(error instanceof NewerDataError)) return;
      this.log.error({ event: 'data.newer', message: error.message });
      clearInterval(this.timer);
      process.kill(process.pid, 'SIGTERM');
    }
  }
}
