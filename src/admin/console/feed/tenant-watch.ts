import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { type ChangedTask, type TenantChanges, TenantChangesReader } from '../../../tasks/survey/tenant-changes.js';
import { RedisClock } from '../../../platform/redis/redis-clock.js';
import { TenantIndex, type TenantTask } from '../../../tasks/lists/tenant-index.js';

/** The changes among a tenant's tasks since the last notification of the watcher. */
export interface TenantNews {
  readonly states: Readonly<Partial<Record<TaskState, number>>>;
  readonly tasks: readonly TenantTask[];
  /** Truncated: more changes than reported; reload the list. */
  readonly isMore: boolean;
}

export interface TenantWatcher {
  readonly onNews: (news: TenantNews) => void;
  /** Redis is unavailable, or available again. */
  readonly onOutage: (isOut: boolean) => void;
}

/** Read interval of a tenant's index while any console is open. */
const EVERY_MS = 300;
const AFTER_OUTAGE_MS = 2_000;
/** Writers read Redis' clock before they write: a status may be this much older than the previous read. */
const OVERLAP_MS = 5_000;
/** Tasks of one state in one shard per read. */
const MAX_IN_SHARD = 50;
/** Minimum consoles per batch: notifying all at once would be a burst that delays callers. */
const BATCH = 4;
/** Pause between batches, and time for all of them, ms. */
const [BATCH_EVERY_MS, ALL_BATCHES_MS] = [5, 150];
/** Tasks per notification. */
const MAX_REPORTED = 200;

interface Watched {
  readonly watchers: Set<TenantWatcher>;
  /** Reported index entries of the overlap. */
  known: ReadonlyMap<string, string>;
  since: number;
  timer: NodeJS.Timeout | undefined;
  isOut: boolean;
}

/**
 * Watches the tasks of tenants for open consoles: one reader per tenant in this process, and none without an open
 * console.
 */
@Injectable()
export class TenantWatch {
  private readonly tenants = new Map<string, Watched>();

  constructor(
    private readonly changes: TenantChangesReader,
    private readonly index: TenantIndex,
    private readonly clock: RedisClock,
  ) {}

  /** Notifies a watcher until the returned function is called. */
  watch(tenant: string, watcher: TenantWatcher): () => void {
    const present = this.tenants.get(tenant);
    const watched = present ?? { watchers: new Set(), known: new Map(), since: 0, timer: undefined, isOut: false };
    watched.watchers.add(watcher);
    if (present === undefined) {
      this.tenants.set(tenant, watched);
      void this.begin(tenant, watched);
    }
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size > 0) return;
      clearTimeout(watched.timer);
      if (this.tenants.get(tenant) === watched) this.tenants.delete(tenant);
    };
  }

  /** The first read sets the start of the changes. */
  private async begin(tenant: string, watched: Watched): Promise<void> {
    watched.since = this.clock.now() - OVERLAP_MS;
    await this.read(tenant, watched);
  }

  private async read(tenant: string, watched: Watched): Promise<void> {
    try {
      const changes = await this.changes.since(tenant, watched.since, MAX_IN_SHARD);
      await this.tell(watched, changes);
      this.noteOutage(watched, false);
    } catch {
      // The connection has logged it.
      this.noteOutage(watched, true);
    }
    if (watched.watchers.size === 0) return;
    watched.timer = setTimeout(() => void this.read(tenant, watched), watched.isOut ? AFTER_OUTAGE_MS : EVERY_MS);
    watched.timer.unref();
  }

  private async tell(watched: Watched, { states, changed }: TenantChanges): Promise<void> {
    const fresh = changed.filter(({ id, score }) => watched.known.get(id) !== score);
    const youngest = changed[0]?.ms ?? 0;
    watched.known = new Map(changed.map(({ id, score }) => [id, score]));
    watched.since = Math.max(watched.since, youngest - OVERLAP_MS);
    if (fresh.length === 0) return;
    const tasks = await this.index.rows(fresh.slice(0, MAX_REPORTED).map(({ id }) => id));
    const news = { states, tasks, isMore: fresh.length > MAX_REPORTED || isCut(changed) };
    const atOnce = Math.max(BATCH, Math.ceil((watched.watchers.size * BATCH_EVERY_MS) / ALL_BATCHES_MS));
    let told = 0;
    for (const { onNews } of watched.watchers) {
      if (told > 0 && told % atOnce === 0) await pause(BATCH_EVERY_MS);
      onNews(news);
      told += 1;
    }
  }

  private noteOutage(watched: Watched, isOut: boolean): void {
    if (watched.isOut === isOut) return;
    watched.isOut = isOut;
    for (const { onOutage } of watched.watchers) onOutage(isOut);
  }
}

/** Whether a shard may have had more changes than were read. */
function isCut(changed: readonly ChangedTask[]): boolean {
  return changed.length >= MAX_IN_SHARD * 8;
}
