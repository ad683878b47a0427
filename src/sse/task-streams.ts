import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import type { StreamResponse } from '../protocol/event.js';
import type { Json } from '../protocol/json.js';
import { endsStream, isSettled, type TaskState } from '../protocol/task-state.js';
import { TaskStore } from '../task/task.store.js';
import { EventsTrimmed } from './follower.js';
import { eventId, type StreamBeginning, type StreamEvent, snapshotBeginning } from './stream-beginning.js';
import type { Following } from './task-feeds.js';

/** Where a reader begins, and with which task. */
export interface StreamStart extends StreamBeginning {
  readonly owner: string;
  readonly taskId: string;
}

/** Events that are kept while a blocking call waits; whoever has more reads the task. */
const MOST_SEEN = 64;

/** Reads a task's feed to the point where a stream ends or a blocking call returns. */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly store: TaskStore,
    private readonly metrics: Metrics,
  ) {}

  /**
   * The first event, then every later one in order, until the task's stream ends (A2A-STRM-02 … -05) or `signal` does.
   * Takes over `following`.
   */
  read(following: Following, start: StreamStart, signal: AbortSignal): AsyncGenerator<StreamEvent, void, void> {
    // A generator that waits for its next event cannot be told to return: the feed must end under it.
    signal.addEventListener('abort', following.close, { once: true });
    if (signal.aborted) following.close();
    return this.events(following, start);
  }

  /**
   * Resolves when the task has become terminal or interrupted after event `after`, or when the follower is ended. Gives
   * the events from there to the one that settled the task; undefined where some are missing, or too many to keep.
   */
  async settled(
    following: Following,
    start: { owner: string; taskId: string; after: number },
  ): Promise<readonly Json<StreamResponse>[] | undefined> {
    const { follower } = following;
    follower.startAfter(start.after);
    const seen: Json<StreamResponse>[] = [];
    try {
      for await (const { event } of follower.events()) {
        if (seen.length <= MOST_SEEN) seen.push(event);
        const state = stateOf(event);
        if (state !== undefined && isSettled(state)) return seen.length > MOST_SEEN ? undefined : seen;
      }
    } catch (error) {
      if (!(error instanceof EventsTrimmed)) throw error;
      const now = await this.store.read(start.owner, start.taskId, { historyLength: 0, artifacts: false });
      if (now !== undefined && !isSettled(now.state)) await this.settled(following, { ...start, after: now.seq });
    }
    return undefined;
  }

  private async *events(following: Following, start: StreamStart): AsyncGenerator<StreamEvent, void, void> {
    try {
      yield start.first;
      if (!start.over) yield* this.rest(following, start);
    } finally {
      following.close();
    }
  }

  private async *rest(following: Following, start: StreamStart): AsyncGenerator<StreamEvent, void, void> {
    const { follower } = following;
    follower.startAfter(start.after);
    follower.hint(start.latest);
    try {
      for await (const logged of follower.events()) {
        if (logged.seq > start.latest) this.observeLag(logged.event);
        yield { id: eventId(logged), event: logged.event };
        const state = stateOf(logged.event);
        // A question that was answered long ago does not end the stream of a reader who catches up.
        if (state !== undefined && endsStream(state) && logged.seq >= start.latest) return;
      }
    } catch (error) {
      if (!(error instanceof EventsTrimmed)) throw error;
      const snapshot = await this.store.read(start.owner, start.taskId);
      if (snapshot !== undefined) yield* this.events(following, { ...start, ...snapshotBeginning(snapshot) });
    }
  }

  /** Only status events say when they were written, and only live ones say how long the way was. */
  private observeLag(event: Json<StreamResponse>): void {
    if (!event.text.startsWith('{"statusUpdate"') || !('statusUpdate' in event.value)) return;
    const { timestamp } = event.value.statusUpdate.status;
    this.metrics.eventPassedOn((Date.now() - Date.parse(timestamp)) / 1000);
  }
}

/** The state that an event tells of; artifact events tell of none, and are not parsed for it. */
function stateOf(event: Json<StreamResponse>): TaskState | undefined {
  if (event.text.startsWith('{"artifactUpdate"')) return undefined;
  const { value } = event;
  if ('statusUpdate' in value) return value.statusUpdate.status.state;
  return 'task' in value ? value.task.status.state : undefined;
}
