/**
 * Events whose caller holds a slot for open streams until they have ended. Not a generator: its frame would stay in
 * memory while the stream is open.
 */
export class SlottedEvents<E> implements AsyncIterableIterator<E, void, void> {
  constructor(
    private readonly events: AsyncIterator<E, void, void>,
    private readonly free: () => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<E, void>> {
    try {
      const result = await this.events.next();
      if (result.done === true) this.free();
      return result;
    } catch (error) {
      this.free();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<E, void>> {
    this.free();
    return (await this.events.return?.()) ?? { done: true, value: undefined };
  }
}
