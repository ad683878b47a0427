import type { Following } from '../../task/feed/task-feeds.js';
import type { EndCaller } from '../../task/run-caller.js';

/** A task as its run has ended it: its JSON up to its history. */
export interface RemoteEnd {
  readonly head: string;
}

/** The end of a run, or the feed of its task; undefined where the caller has given up before. */
export type RemoteOutcome = RemoteEnd | Following | undefined;

/** A caller that waits for a run in another process: for the end of a short run, else for the feed of its task. */
export class RemoteCaller implements EndCaller {
  readonly outcome: Promise<RemoteOutcome>;
  private resolve: ((outcome: RemoteOutcome) => void) | undefined;

  /** @param follow joins the feed of the task: called at most once */
  constructor(private readonly follow: () => Following) {
    this.outcome = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  ended(head: string): void {
    this.settle({ head });
  }

  goesOn(): void {
    if (this.resolve !== undefined) this.settle(this.follow());
  }

  giveUp(): void {
    this.settle(undefined);
  }

  private settle(outcome: RemoteOutcome): void {
    this.resolve?.(outcome);
    this.resolve = undefined;
  }
}
