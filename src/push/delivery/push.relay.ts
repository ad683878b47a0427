import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Channels } from '../../platform/redis/channels.js';
import { CursorStore } from './cursor.store.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { PushQueue } from './push.queue.js';

/** Longest pause between two sweeps of all shards: the cost of a lost hint. */
const EVERY_MS = 1000;
/** Pause before the next sweep after Redis failed. */
const AFTER_FAILURE_MS = 500;

/**
 * Moves due webhooks from the outboxes to the queue: at once after a commit, and on time for retries. Any number of
 * processes may run it at once, since an outbox returns each entry to one of them.
 */
@Injectable()
export class PushRelay implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(PushRelay.name);
  private readonly hinted = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private nextFullLook = 0;
  private pumping: Promise<void> | undefined;
  private stopped = false;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly channels: Channels,
    private readonly cursors: CursorStore,
    private readonly queue: PushQueue,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stopListening = await this.channels.listen(new PushKeys(this.options.keyPrefix).hints, this.onHint);
    this.poll();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.stopListening?.();
    await this.pumping;
  }

  /** Sweeps all shards now. */
  poll(): void {
    this.nextFullLook = 0;
    this.pump();
  }

  /** The number of the shard in hex, as lua/lib/outbox.lua of src/task writes it. */
  private readonly onHint = (message: string): void => {
    this.hinted.add(Number.parseInt(message, 16));
    this.pump();
  };

  /** One pass at a time; hints that come meanwhile are served right after. */
  private pump(): void {
    if (this.stopped || this.pumping !== undefined) return;
    clearTimeout(this.timer);
    this.pumping = this.pass().then((waitMs) => {
      this.pumping = undefined;
      if (this.stopped) return;
      if (this.hinted.size > 0 || waitMs <= 0) this.pump();
      else this.timer = setTimeout(this.onTimer, waitMs).unref();
    });
  }

  private readonly onTimer = (): void => {
    this.pump();
  };

  /** Returns how long nothing will be due. */
  private async pass(): Promise<number> {
    const now = performance.now();
    const isFull = now >= this.nextFullLook;
    const shards = isFull ? undefined : [...this.hinted];
    this.hinted.clear();
    try {
      const taken = await this.cursors.take(shards);
      await this.queue.addAll(taken.flatMap(({ due }) => due));
      const soonest = Math.min(EVERY_MS, ...taken.flatMap(({ nextMs }) => nextMs ?? []));
      this.nextFullLook = isFull ? now + soonest : Math.min(this.nextFullLook, now + soonest);
      return this.nextFullLook - performance.now();
    } catch (error) {
      this.log.warn({ event: 'push.relay-failed', reason: error instanceof Error ? error.message : String(error) });
      this.nextFullLook = now + AFTER_FAILURE_MS;
      return AFTER_FAILURE_MS;
    }
  }
}
