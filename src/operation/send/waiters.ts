import type { Following, TaskFeeds } from '../../task/feed/task-feeds.js';
import { LocalCaller } from './local-caller.js';

/** What the caller of a message waits for. */
export type Wanted = 'events' | 'end' | 'nothing';

/** Who waits for a new task, and the channel by which its events or its end come. */
export interface Waiters {
  readonly caller?: LocalCaller;
  readonly following?: Following;
  readonly replyTo?: string;
  /** The task was not stored. */
  readonly close: () => void;
}

/** Joined before the task is stored: a run in another process may be over before the answer to that is here. */
export function waitersFor(
  feeds: TaskFeeds,
  wanted: Wanted,
  { id, hasSlot }: { readonly id: string; readonly hasSlot: boolean },
): Waiters {
  if (wanted === 'nothing') return { close: nothing };
  const follow = (): Following => feeds.followOwn(id);
  if (hasSlot) return { caller: new LocalCaller(follow), replyTo: feeds.replyChannel, close: nothing };
  const following = follow();
  return { following, replyTo: feeds.replyChannel, close: following.close };
}

function nothing(): void {
  // Nobody waits.
}
