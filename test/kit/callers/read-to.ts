import type { LoggedEvent } from '../../../src/tasks/commit/event-log.js';
import type { Follower } from '../../../src/tasks/feed/follower.js';

/** What a reader is given up to an event, by its number. */
export async function readTo(follower: Follower, last: number): Promise<readonly LoggedEvent[]> {
  const seen: LoggedEvent[] = [];
  while (seen.at(-1)?.seq !== last) {
    const event = await follower.next();
    if (event === undefined) throw new Error('the reader was ended');
    seen.push(event);
  }
  return seen;
}
