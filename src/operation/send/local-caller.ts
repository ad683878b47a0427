import type { Conclusion, RunCaller } from '../../task/run-caller.js';
import type { Following } from '../../task/feed/task-feeds.js';

/** An event that the caller has not seen: the log is read for it. */
const UNSEEN = { seq: 2, nonce: '' };

/** The end of a run, or the feed of its task; undefined where the caller has given up before. */
export type LocalOutcome = Conclusion | Following | undefined;

/** A caller of this process that waits for the run of its own message: for the end of a short run, else for the feed of its task. */
export class LocalCaller implements RunCaller {
  readonly outcome: Promise<LocalOutcome>;
  private resolve: ((outcome: LocalOutcome) => void) | undefined;

  /** @param follow joins the feed of the task: called at most once, before the run writes what the feed brings */
  constructor(private readonly follow: () => Following) {
    this.outcome = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  concluded(conclusion: Conclusion): void {
    this.settle(conclusion);
  }

  goesOn(): void {
    if (this.resolve !== undefined) this.settle(this.follow());
  }

  over(): void {
    if (this.resolve !== undefined) this.settle(this.followBehind());
  }

  /** The run was not claimed here: the task has this process's reply channel. */
  elsewhere(): void {
    const following = this.followBehind();
    following.expectReply();
    this.settle(following);
  }

  giveUp(): void {
    this.settle(undefined);
  }

  /** What was written before the feed was joined is in the log. */
  private followBehind(): Following {
    const following = this.follow();
    following.follower.hint(UNSEEN);
    return following;
  }

  private settle(outcome: LocalOutcome): void {
    this.resolve?.(outcome);
    this.resolve = undefined;
  }
}

export function isConclusion(outcome: Conclusion | Following): outcome is Conclusion {
  return 'endedAt' in outcome;
}
