import type { Conclusion, RunCaller } from '../../task/run-caller.js';
import type { Following } from '../../task/feed/task-feeds.js';
import { WaitingCaller } from './waiting-caller.js';

/** An event that the caller has not seen: the log is read for it. */
const UNSEEN = { seq: 2, nonce: '' };

/** The end of a run, or the feed of its task; undefined where the caller has given up before. */
export type LocalOutcome = Conclusion | Following | undefined;

/** Waits for a run in this process, for which it has a slot. */
export class LocalCaller extends WaitingCaller<Conclusion> implements RunCaller {
  concluded(conclusion: Conclusion): void {
    this.settle(conclusion);
  }

  over(): void {
    if (this.isWaiting) this.settle(this.followBehind());
  }

  /** The run was not claimed here: the task has this process's reply channel. */
  elsewhere(): void {
    const following = this.followBehind();
    following.expectReply();
    this.settle(following);
  }

  /** What was written before the feed was joined is in the log. */
  private followBehind(): Following {
    const following = this.follow();
    following.follower.hint(UNSEEN);
    return following;
  }
}

export function isConclusion(outcome: Conclusion | Following): outcome is Conclusion {
  return 'endedAt' in outcome;
}
