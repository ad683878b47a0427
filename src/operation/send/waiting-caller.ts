import type { Following } from '../../task/feed/task-feeds.js';

/** A caller that waits for the run of its own message: for the end of a short run, else for the feed of its task. */
export abstract class WaitingCaller<End> {
  /** Undefined where the caller has given up before. */
  readonly outcome: Promise<End | Following | undefined>;
  private resolve: ((outcome: End | Following | undefined) => void) | undefined;

  /** @param follow joins the feed of the task: called at most once, before what comes then is told to the feed */
  constructor(protected readonly follow: () => Following) {
    this.outcome = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  goesOn(): void {
    if (this.isWaiting) this.settle(this.follow());
  }

  giveUp(): void {
    this.settle(undefined);
  }

  protected get isWaiting(): boolean {
    return this.resolve !== undefined;
  }

  protected settle(outcome: End | Following | undefined): void {
    this.resolve?.(outcome);
    this.resolve = undefined;
  }
}
