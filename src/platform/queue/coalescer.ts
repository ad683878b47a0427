/**
 * Merges requests: passes the first one on at once, and those that arrive within `everyMs` together after that. The
 * last one is always covered.
 */
export class Coalescer {
  private wanted = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param most maximum passed on at once
   * @param pass must not throw
   */
  constructor(
    private readonly everyMs: number,
    private readonly most: number,
    private readonly pass: (count: number) => void,
  ) {}

  add(count: number): void {
    this.wanted = Math.min(this.most, this.wanted + count);
    if (this.timer === undefined) this.send();
  }

  /** Drops pending requests. */
  close(): void {
    clearTimeout(this.timer);
  }

  private readonly send = (): void => {
    this.timer = undefined;
    if (this.wanted === 0) return;
    const { wanted } = this;
    this.wanted = 0;
    this.timer = setTimeout(this.send, this.everyMs).unref();
    this.pass(wanted);
  };
}
