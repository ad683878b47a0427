import type { LoggedEvent } from '../event-log.js';
import { eventId, type StreamEvent } from './stream-beginning.js';

/** Characters of events that are read as one: a slow reader of more takes them one after the other. */
const MOST_AT_HAND = 32 * 1024;

/** The stream of a task whose events are all at hand: each is there when it is asked for. */
export class ConcludedStream implements AsyncIterableIterator<StreamEvent, void, void> {
  private at = 0;

  constructor(
    private readonly first: StreamEvent,
    private readonly later: readonly LoggedEvent[],
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** All of it, where it is small and nothing was read of it. */
  atHand(): readonly StreamEvent[] | undefined {
    if (this.at > 0) return undefined;
    let length = this.first.event.text.length;
    for (const { event } of this.later) length += event.text.length;
    if (length > MOST_AT_HAND) return undefined;
    this.at = this.later.length + 1;
    return [this.first, ...this.later.map(streamed)];
  }

  next(): Promise<IteratorResult<StreamEvent, void>> {
    if (this.at === 0) {
      this.at = 1;
      return Promise.resolve({ done: false, value: this.first });
    }
    const logged = this.later[this.at - 1];
    if (logged === undefined) return this.return();
    this.at += 1;
    return Promise.resolve({ done: false, value: streamed(logged) });
  }

  return(): Promise<IteratorReturnResult<void>> {
    this.at = this.later.length + 1;
    return Promise.resolve({ done: true, value: undefined });
  }
}

function streamed(logged: LoggedEvent): StreamEvent {
  return { id: eventId(logged), event: logged.event };
}
