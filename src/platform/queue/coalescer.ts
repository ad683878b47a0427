/**
 * Makes many requests one: the first is passed on at once, those that come within `everyMs` of it together after that.
 * The last one counts, so that nothing which came before it is left out.
 */
export class Coalescer {
  private wanted = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param most of what is passed on at once
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

  /** Drops what was not passed on yet. */
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
