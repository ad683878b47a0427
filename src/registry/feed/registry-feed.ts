import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Channels } from '../../platform/redis/connection/channels.js';
import type { Principal } from '../../auth/principal.js';
import { RegistryStore } from '../store/registry.store.js';
import { FeedReader } from './feed-reader.js';
import { KeptChanges } from './kept-changes.js';

/** Polling interval, since messages of a channel may be lost. */
const UNTOLD_MS = 2_000;

/**
 * Follows the changes of the tenants that have readers here. One subscription for all of them and one read for all
 * readers of a tenant; visibility is decided in memory.
 */
@Injectable()
export class RegistryFeed implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly tenants = new Map<string, FollowedTenant>();
  private listening: Promise<unknown> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: RegistryStore,
    private readonly channels: Channels,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      for (const tenant of this.tenants.keys()) this.hint(tenant);
    }, UNTOLD_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Opens the feed of a caller, after the event with a known id. Rejects when Redis is unavailable. */
  async open({ tenant, client }: Pick<Principal, 'tenant' | 'client'>, lastId?: string): Promise<FeedReader> {
    await this.listen();
    const followed = this.tenants.get(tenant) ?? new FollowedTenant(tenant, this.store);
    this.tenants.set(tenant, followed);
    const reader = new FeedReader(followed.kept, client);
    followed.readers.add(reader);
    reader.onClose(() => {
      followed.readers.delete(reader);
      if (followed.readers.size === 0 && this.tenants.get(tenant) === followed) this.tenants.delete(tenant);
    });
    try {
      await followed.read();
    } catch (error) {
      await reader.return();
      throw error;
    }
    if (lastId !== undefined) reader.resume(lastId);
    return reader;
  }

  /** Subscribes with the first reader, for the life of the process: changes of registries are rare. */
  private async listen(): Promise<void> {
    this.listening ??= this.channels.listen(this.store.feedChannel, (tenant) => {
      this.hint(tenant);
    });
    try {
      await this.listening;
    } catch (error) {
      this.listening = undefined;
      throw error;
    }
  }

  private hint(tenant: string): void {
    // Redis is unreachable, which its connection has logged: the next read catches up.
    this.tenants
      .get(tenant)
      ?.read()
      .catch(() => undefined);
  }
}

/** A tenant whose changes are read, while it has readers. */
class FollowedTenant {
  readonly kept = new KeptChanges();
  readonly readers = new Set<FeedReader>();
  private isStale = false;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly tenant: string,
    private readonly store: RegistryStore,
  ) {}

  /** Reads new changes. A call during a read repeats it, since that read may have been too early for the change. */
  read(): Promise<void> {
    this.isStale = true;
    this.reading ??= this.readAll();
    return this.reading;
  }

  private async readAll(): Promise<void> {
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.readNew();
      }
    } finally {
      this.reading = undefined;
    }
  }

  /** Reads everything anew when the last known change is gone, by age or in a failover. */
  private async readNew(): Promise<void> {
    const { last } = this.kept;
    const found = await this.store.feedFrom(this.tenant, last?.seq ?? 0);
    if (last === undefined) this.kept.append(found);
    else if (found[0]?.change.id === last.change.id) this.kept.append(found.slice(1));
    else this.kept.replace(await this.store.feedFrom(this.tenant, 0));
    for (const reader of this.readers) reader.wake();
  }
}
