import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Channels } from '../../platform/redis/connection/channels.js';
import { CalmLog } from '../../platform/logging/calm-log.js';
import { ALL_SHARDS } from '../../tasks/task.keys.js';
import { CursorStore } from './cursor.store.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { PushDeliveries } from './push.deliveries.js';
import { PushQueue } from './push.queue.js';

/** Longest pause between two polls of all outboxes: the cost of a lost hint. */
const EVERY_MS = 1000;
/** Pause before the next poll after Redis failed. */
const AFTER_FAILURE_MS = 500;

/**
 * Fills the free slots of this process with due webhooks from the outboxes: at once after a commit, on time for
 * retries. Any number of processes run it at once: an outbox gives each entry to one process with a free slot.
 */
@Injectable()
export class PushRelay implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly failures = new CalmLog(new Logger(PushRelay.name), 'push.relay-failed');
  /** Shards whose outboxes may have due webhooks; the first ones are next. */
  private readonly pending = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private nextFullPoll = 0;
  private serving: Promise<void> | undefined;
  private stopped = false;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly channels: Channels,
    private readonly cursors: CursorStore,
    private readonly deliveries: PushDeliveries,
    private readonly queue: PushQueue,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stopListening = await this.channels.listenFromStart(new PushKeys(this.options.keyPrefix).hints, this.onHint);
    void this.poll();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.stopListening?.();
    await this.serving;
  }

  /** Polls all outboxes now. Never rejects. */
  async poll(): Promise<void> {
    this.nextFullPoll = 0;
    this.serve();
    await this.serving;
  }

  /** The number of the shard in hex, as lua/lib/hooks/outbox.lua of src/tasks writes it. */
  private readonly onHint = (message: string): void => {
    this.pending.add(Number.parseInt(message, 16));
    this.serve();
  };

  /** One pass at a time; hints that arrive meanwhile are served right after it. */
  private readonly serve = (): void => {
    if (this.stopped || this.serving !== undefined) return;
    clearTimeout(this.timer);
    this.serving = this.pass().finally(() => {
      this.serving = undefined;
      if (this.stopped) return;
      const waitMs = this.nextFullPoll - performance.now();
      // A full process continues when a delivery ends.
      if ((this.pending.size > 0 || waitMs <= 0) && this.deliveries.free > 0) this.serve();
      else this.timer = setTimeout(this.serve, Math.max(1, waitMs)).unref();
    });
  };

  private async pass(): Promise<void> {
    const now = performance.now();
    if (now >= this.nextFullPoll) {
      for (const shard of ALL_SHARDS) this.pending.add(shard);
      this.nextFullPoll = now + EVERY_MS;
    }
    try {
      let hasBegun = false;
      while (this.pending.size > 0 && this.deliveries.free > 0) hasBegun = (await this.fill()) || hasBegun;
      if (hasBegun && this.pending.size > 0) this.queue.wake();
      this.failures.works();
    } catch (error) {
      this.failures.warn({ reason: error instanceof Error ? error.message : String(error) });
      this.pending.clear();
      this.nextFullPoll = now + AFTER_FAILURE_MS;
    }
  }

  /** Takes webhooks for the free slots, from as many shards as possible. Returns whether it found any. */
  private async fill(): Promise<boolean> {
    const { free } = this.deliveries;
    const shards = [...this.pending].slice(0, free);
    const share = Math.floor(free / shards.length);
    for (const shard of shards) this.pending.delete(shard);
    const taken = await this.cursors.take(shards, share);
    const now = performance.now();
    for (const { shard, due, nextMs } of taken) {
      for (const hook of due) void this.deliveries.begin(hook).then(this.onEnd);
      // There may be more of them; shards that were not polled yet are first.
      if (due.length === share) this.pending.add(shard);
      else if (nextMs !== undefined) this.nextFullPoll = Math.min(this.nextFullPoll, now + nextMs);
    }
    return taken.some(({ due }) => due.length > 0);
  }

  private readonly onEnd = (): void => {
    if (this.pending.size > 0) this.serve();
  };
}
