/** Progress notifications per second, and maximum burst (MCP-WORK-5). */
const PER_SECOND = 5;

/** Permits a burst of notifications, and then a rate per second. */
export class ProgressRate {
  private left = PER_SECOND;
  private at: number;

  constructor(private readonly now: () => number = Date.now) {
    this.at = now();
  }

  /** Whether another one may be sent now. */
  take(): boolean {
    const now = this.now();
    this.left = Math.min(PER_SECOND, this.left + ((now - this.at) / 1000) * PER_SECOND);
    this.at = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
