import { setTimeout } from 'node:timers/promises';
import { WaitingFeed } from '../../../platform/feed/waiting-feed.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { Following } from '../../../tasks/feed/task-feeds.js';
import { stateOf } from '../../../tasks/feed/event-state.js';
import { withoutReason } from '../../../tasks/record/run-fault.js';
import { isWanted, type TenantFilter, type TenantTask } from '../../../tasks/lists/tenant-index.js';
import type { TenantNews, TenantWatcher } from './tenant-watch.js';

/** A frame of the feed; absent members are unchanged. */
export interface FeedFrame {
  /** Time of this process, ISO 8601. */
  readonly now: string;
  /** Number of tasks in each state. */
  readonly states?: Readonly<Partial<Record<TaskState, number>>>;
  /** Changed tasks that match the filter, at most 200. */
  readonly tasks?: readonly TenantTask[];
  /** Changed tasks that do not match the filter (any more). */
  readonly gone?: readonly string[];
  /** More tasks have changed: reload the list. */
  readonly isMore?: boolean;
  /** The opened task has a new event. */
  readonly opened?: { readonly seq: number; readonly state?: TaskState | undefined };
  /** Whether storage is unavailable. */
  readonly isOut?: boolean;
}

/** Cached JSON of the rows, shared by all consoles. */
const rowTexts = new WeakMap<TenantTask, string>();

/** JSON of a frame. */
export function frameJson({ tasks, ...rest }: FeedFrame): string {
  const text = JSON.stringify(rest);
  return tasks === undefined ? text : `${text.slice(0, -1)},"tasks":[${tasks.map(rowJson).join(',')}]}`;
}

/** The rows for consoles that may not read failure reasons. */
const reasonlessRows = new WeakMap<TenantTask, TenantTask>();

function reasonless(row: TenantTask): TenantTask {
  if (row.reason === undefined && row.fault === undefined) return row;
  const known = reasonlessRows.get(row) ?? withoutReason(row);
  reasonlessRows.set(row, known);
  return known;
}

function rowJson(row: TenantTask): string {
  const known = rowTexts.get(row);
  if (known !== undefined) return known;
  const text = JSON.stringify(row);
  rowTexts.set(row, text);
  return text;
}

/** Minimum pause between frames. */
const PAUSE_MS = 250;
const MAX_ROWS = 200;

/**
 * The live feed of one console. Changes between two frames are merged: a slow reader gets fewer frames, and never a
 * backlog.
 */
export class ConsoleFeed extends WaitingFeed<{ readonly event: FeedFrame }> {
  private rows = new Map<string, TenantTask>();
  private gone = new Set<string>();
  private told: Omit<FeedFrame, 'now' | 'tasks' | 'gone'> = {};
  private hasNews = true;
  private sentAt = 0;

  /** @param hasReasons whether rows contain failure reasons */
  constructor(
    private readonly filter: TenantFilter,
    private readonly hasReasons: boolean,
  ) {
    super();
  }

  /** The callbacks for the watch of the tenant. */
  readonly watcher: TenantWatcher = {
    onNews: (news) => {
      this.take(news);
    },
    onOutage: (isOut) => {
      this.note({ isOut });
    },
  };

  /** Adds the events of a task until its follower ends. */
  async follow({ follower, close }: Following): Promise<void> {
    this.onClose(close);
    for (let logged = await follower.next(); logged !== undefined; logged = await follower.next()) {
      this.note({ opened: { seq: logged.seq, state: stateOf(logged.event) } });
    }
  }

  override async next(): Promise<IteratorResult<{ readonly event: FeedFrame }, void>> {
    await this.pause();
    return super.next();
  }

  protected read(): { readonly event: FeedFrame } | undefined {
    if (!this.hasNews) return undefined;
    this.sentAt = Date.now();
    return { event: this.frame() };
  }

  private take({ states, tasks, isMore }: TenantNews): void {
    for (const task of tasks) {
      this.rows.delete(task.id);
      this.gone.delete(task.id);
      if (isWanted(task, this.filter)) this.rows.set(task.id, this.hasReasons ? task : reasonless(task));
      else this.gone.add(task.id);
    }
    const isTooMuch = this.rows.size > MAX_ROWS || this.gone.size > MAX_ROWS;
    if (isTooMuch) this.forget();
    this.note({ states, ...(isMore || isTooMuch ? { isMore: true } : {}) });
  }

  private note(news: Omit<FeedFrame, 'now' | 'tasks' | 'gone'>): void {
    this.told = { ...this.told, ...news };
    this.hasNews = true;
    this.wake();
  }

  private frame(): FeedFrame {
    const frame = {
      now: new Date().toISOString(),
      ...this.told,
      ...(this.rows.size === 0 ? {} : { tasks: [...this.rows.values()] }),
      ...(this.gone.size === 0 ? {} : { gone: [...this.gone] }),
    };
    this.forget();
    this.told = {};
    this.hasNews = false;
    return frame;
  }

  private forget(): void {
    this.rows = new Map();
    this.gone = new Set();
  }

  private async pause(): Promise<void> {
    const left = this.sentAt + PAUSE_MS - Date.now();
    if (left > 0) await setTimeout(left, undefined, { signal: this.ended }).catch(() => undefined);
  }
}
