/** Texts that one side adds as they come, and the other reads in order. */
export class TextPieces {
  private readonly waiting: string[] = [];
  private isOver = false;
  private wake: (() => void) | undefined;

  add(piece: string): void {
    this.waiting.push(piece);
    this.wake?.();
  }

  /** No more will come. */
  end(): void {
    this.isOver = true;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, void> {
    for (;;) {
      const piece = this.waiting.shift();
      if (piece !== undefined) yield piece;
      else if (this.isOver) return;
      else await this.change();
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
