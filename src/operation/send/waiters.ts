import type { Following, TaskFeeds } from '../../task/feed/task-feeds.js';
import { LocalCaller } from './local-caller.js';
import { RemoteCaller } from './remote-caller.js';

/** What the caller of a message waits for. */
export type Wanted = 'events' | 'end' | 'nothing';

/** Who waits for a new task, and the channel by which its events or its end come. */
export interface Waiters {
  readonly caller?: LocalCaller;
  readonly remote?: RemoteCaller;
  readonly following?: Following;
  readonly replyTo?: string;
  /** The task was not stored. */
  readonly close: () => void;
}

/** Joined before the task is stored: a run in another process may be over before the answer to that is here. */
export function waitersFor(
  feeds: TaskFeeds,
  wanted: Wanted,
  { id, hasRun, hasSlot }: { readonly id: string; readonly hasRun: boolean; readonly hasSlot: boolean },
): Waiters {
  if (wanted === 'nothing') return { close: nothing };
  const follow = (): Following => feeds.followOwn(id);
  const { replyChannel, endChannel } = feeds;
  if (hasSlot) return { caller: new LocalCaller(follow), replyTo: replyChannel, close: nothing };
  if (wanted === 'events' || !hasRun) {
    const following = follow();
    return { following, replyTo: replyChannel, close: following.close };
  }
  const remote = new RemoteCaller(follow);
  feeds.expectEnd(id, remote);
  const close = (): void => {
    feeds.forgetEnd(id, false);
  };
  return { remote, replyTo: endChannel, close };
}

function nothing(): void {
  // Nobody waits.
}
