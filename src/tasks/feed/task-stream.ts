import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json } from '@parley/protocol/model/json.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import type { LoggedEvent } from '../commit/event-log.js';
import type { TaskStore } from '../store/task.store.js';
import type { FeedMetrics } from './feed.metrics.js';
import { EventsTrimmed } from './follower.js';
import { isStatus, stateOf } from './event-state.js';
import { eventId, type StreamBeginning, type StreamEvent, snapshotBeginning } from './stream-beginning.js';
import type { Following } from './task-feeds.js';

/** The start of a reader, with the task. */
export interface StreamStart extends StreamBeginning {
  readonly owner: string;
  readonly taskId: string;
  /** Messages of the task in the first event (A2A 1.0 §3.2.4); absent: all. */
  readonly historyLength?: number | undefined;
}

/**
 * One reader's stream of one task: the first event, then every later one in order, until the task's stream ends
 * (A2A-STRM-02 … -05) or it is closed. One process may have ten thousand of these: it stores a cursor, not the task,
 * and is not a generator, whose frames would take more memory.
 */
export class TaskStream implements AsyncIterableIterator<StreamEvent, void, void> {
  private readonly task: Pick<StreamStart, 'owner' | 'taskId' | 'historyLength'>;
  private first: StreamEvent | undefined;
  private latest = 0;

  constructor(
    private readonly following: Following,
    { owner, taskId, historyLength, ...beginning }: StreamStart,
    private readonly store: TaskStore,
    private readonly metrics: FeedMetrics,
  ) {
    this.task = { owner, taskId, historyLength };
    this.begin(beginning);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamEvent, void>> {
    try {
      const event = this.takeFirst() ?? this.passedOn(await this.following.follower.next());
      return event === undefined ? await this.return() : { done: false, value: event };
    } catch (error) {
      if (error instanceof EventsTrimmed) return this.beginAgain();
      this.following.close();
      throw error;
    }
  }

  return(): Promise<IteratorReturnResult<void>> {
    this.following.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  private begin({ first, after, missed = [], latest, over }: StreamBeginning): void {
    this.first = first;
    this.latest = latest;
    this.following.follower.startAfter(after, missed);
    if (over) this.following.close();
    else if (latest > (missed.at(-1) ?? after).seq) this.following.follower.hint({ seq: latest, nonce: '' });
  }

  /** Continues with the current task: the events in between are gone. */
  private async beginAgain(): Promise<IteratorResult<StreamEvent, void>> {
    const { owner, taskId, historyLength } = this.task;
    const snapshot = await this.store.read(owner, taskId, { historyLength }).catch((error: unknown) => {
      this.following.close();
      throw error;
    });
    if (snapshot === undefined) return this.return();
    this.begin(snapshotBeginning(snapshot));
    return this.next();
  }

  private takeFirst(): StreamEvent | undefined {
    const { first } = this;
    this.first = undefined;
    return first;
  }

  private passedOn(logged: LoggedEvent | undefined): StreamEvent | undefined {
    if (logged === undefined) return undefined;
    if (logged.seq > this.latest) this.observeLag(logged.event);
    const state = stateOf(logged.event);
    // A question that is already answered does not end the stream of a reader that catches up.
    if (state !== undefined && endsStream(state) && logged.seq >= this.latest) this.following.close();
    return { id: eventId(logged), event: logged.event };
  }

  /** Only status events carry their time, and only live ones measure the delivery. */
  private observeLag(event: Json<StreamResponse>): void {
    if (!isStatus(event) || !('statusUpdate' in event.value)) return;
    const { timestamp } = event.value.statusUpdate.status;
    this.metrics.eventPassedOn((Date.now() - Date.parse(timestamp)) / 1000);
  }
}
