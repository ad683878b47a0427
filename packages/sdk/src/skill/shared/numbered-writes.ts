/** Values by name, as JSON: each reader gets a copy of its own. */
export type SharedTexts = ReadonlyMap<string, string>;

interface Write {
  /** The number of the call that wrote, in its turn. */
  readonly number: number;
  readonly texts: SharedTexts;
}

/** Writes of one turn, by the numbers of its calls: the value is that of the highest one. */
export class NumberedWrites {
  private writes: readonly Write[] = [];

  /** Adds a write; one with the same number is replaced. */
  add(number: number, texts: SharedTexts): void {
    const others = this.writes.filter((write) => write.number !== number);
    this.writes = [...others, { number, texts }].sort((a, b) => a.number - b.number);
  }

  /** The value of a name before a call. */
  get(name: string, before: number): string | undefined {
    return this.writes.findLast(({ number, texts }) => number < before && texts.has(name))?.texts.get(name);
  }

  /** All values that calls between two have written, these not included. */
  between(after: number, before: number): SharedTexts {
    const texts = this.writes.flatMap((write) =>
      write.number > after && write.number < before ? [...write.texts] : [],
    );
    return new Map(texts);
  }
}
