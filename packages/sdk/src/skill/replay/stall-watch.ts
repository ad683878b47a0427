/** A repeated run without progress for this time deviates from the earlier one. */
const STALL_MS = 60_000;

/** Notices a repeated run that waits for something that comes no more. */
export class StallWatch {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly onStall: () => void) {}

  /** Begins anew: there was progress. */
  restart(): void {
    this.stop();
    this.timer = setTimeout(this.onStall, STALL_MS);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
