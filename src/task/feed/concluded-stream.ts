import type { LoggedEvent } from '../event-log.js';
import { eventId, type StreamEvent } from './stream-beginning.js';

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

  next(): Promise<IteratorResult<StreamEvent, void>> {
    if (this.at === 0) {
      this.at = 1;
      return Promise.resolve({ done: false, value: this.first });
    }
    const logged = this.later[this.at - 1];
    if (logged === undefined) return this.return();
    this.at += 1;
    return Promise.resolve({ done: false, value: { id: eventId(logged), event: logged.event } });
  }

  return(): Promise<IteratorReturnResult<void>> {
    this.at = this.later.length + 1;
    return Promise.resolve({ done: true, value: undefined });
  }
}
