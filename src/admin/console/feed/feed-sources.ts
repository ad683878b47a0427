import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../auth/principal.js';
import { TaskFeeds } from '../../../tasks/feed/task-feeds.js';
import { WATCH_MS } from '../../../tasks/commit/event-log.js';
import { TaskStore } from '../../../tasks/store/task.store.js';
import { ConsoleFeed } from './console-feed.js';
import type { FeedDto } from '../dto/feed.dto.js';
import { mayReadContent } from '../tasks/shown-content.js';
import { filterOf } from '../tasks/task-list.controller.js';
import { TenantTasks } from '../../../http/console-api/tenant-tasks.js';
import { TenantWatch } from './tenant-watch.js';

/** Opens feeds: of the changes of a tenant, and of the events of one of its tasks. */
@Injectable()
export class FeedSources {
  constructor(
    private readonly watch: TenantWatch,
    private readonly tasks: TenantTasks,
    private readonly feeds: TaskFeeds,
    private readonly store: TaskStore,
  ) {}

  /** @throws A2AError TaskNotFound when the opened task is not the tenant's */
  async open(caller: Principal, { task, ...filter }: FeedDto): Promise<ConsoleFeed> {
    const feed = new ConsoleFeed(filterOf(filter), mayReadContent(caller));
    feed.onClose(this.watch.watch(caller.tenant, feed.watcher));
    if (task === undefined) return feed;
    try {
      await this.follow(feed, caller, task);
    } catch (error) {
      await feed.return();
      throw error;
    }
    return feed;
  }

  private async follow(feed: ConsoleFeed, caller: Principal, id: string): Promise<void> {
    const { owner } = await this.tasks.facts(caller, id);
    const following = await this.feeds.follow(id);
    const shown = { historyLength: 0, artifacts: false, watchMs: WATCH_MS };
    const snapshot = await this.store.read(owner, id, shown).catch((error: unknown) => {
      following.close();
      throw error;
    });
    if (snapshot !== undefined) following.follower.startAfter(snapshot);
    // Ends with the feed, or when events were trimmed: the page then reads the task again.
    feed.follow(following).catch(() => {
      following.close();
    });
  }
}
