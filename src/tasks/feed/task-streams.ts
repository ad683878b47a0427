import { Injectable } from '@nestjs/common';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json } from '@parley/protocol/model/json.js';
import { isSettled } from '@parley/protocol/model/task-state.js';
import { TaskStore } from '../store/task.store.js';
import { stateOf } from './event-state.js';
import { FeedMetrics } from './feed.metrics.js';
import { EventsTrimmed } from './follower.js';
import type { EventName } from '../commit/event-log.js';
import type { Following } from './task-feeds.js';
import { type StreamStart, TaskStream } from './task-stream.js';

/** Maximum events, and their bytes, kept for a blocking call; beyond that the task is read instead. */
const MAX_SEEN = 64;
const MAX_SEEN_BYTES = 256 * 1024;

/** Reads a task's feed to the point where a stream ends or a blocking call returns. */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly store: TaskStore,
    private readonly metrics: FeedMetrics,
  ) {}

  /** The stream of one reader, until it ends or `signal` does. Takes over `following`. */
  read(following: Following, start: StreamStart, signal: AbortSignal): TaskStream {
    // A pending wait for the next event cannot be canceled: the feed must end first.
    signal.addEventListener('abort', following.close, { once: true });
    if (signal.aborted) following.close();
    return new TaskStream(following, start, this.store, this.metrics);
  }

  /**
   * Resolves when the task has become terminal or interrupted after event `after`, or when the follower is ended.
   * Returns the events from there to the one that settled the task; undefined when some are missing, or too many to
   * keep.
   */
  async settled(
    following: Following,
    start: { owner: string; taskId: string; after: EventName },
  ): Promise<readonly Json<StreamResponse>[] | undefined> {
    following.follower.startAfter(start.after);
    try {
      return await this.untilSettled(following);
    } catch (error) {
      if (!(error instanceof EventsTrimmed)) throw error;
      const now = await this.store.read(start.owner, start.taskId, { historyLength: 0, artifacts: false });
      if (now !== undefined && !isSettled(now.state)) await this.settled(following, { ...start, after: now });
      return undefined;
    }
  }

  private async untilSettled({ follower }: Following): Promise<readonly Json<StreamResponse>[] | undefined> {
    let seen: Json<StreamResponse>[] | undefined = [];
    let bytes = 0;
    for (let next = await follower.next(); next !== undefined; next = await follower.next()) {
      bytes += Buffer.byteLength(next.event.text);
      seen = seen === undefined || seen.length === MAX_SEEN || bytes > MAX_SEEN_BYTES ? undefined : seen;
      seen?.push(next.event);
      const state = stateOf(next.event);
      if (state !== undefined && isSettled(state)) return seen;
    }
    return undefined;
  }
}
