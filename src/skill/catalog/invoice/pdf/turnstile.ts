/** Lets one in at a time, in the order of arrival. */
export class Turnstile {
  private last: Promise<void> = Promise.resolve();

  /** Waits for those before; the function returned lets the next one in. */
  async enter(): Promise<() => void> {
    const before = this.last;
    let leave = (): void => undefined;
    this.last = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  }
}
