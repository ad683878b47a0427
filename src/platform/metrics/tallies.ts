interface Branch<T> {
  readonly next: Map<string, Branch<T>>;
  tally: T | undefined;
}

/** What is counted for each set of label values. Found value by value: one text for all of them would be made for each count. */
export class Tallies<T> {
  private readonly root: Branch<T> = { next: new Map(), tally: undefined };
  private readonly made: T[] = [];

  constructor(private readonly make: (values: readonly string[]) => T) {}

  of(values: readonly string[]): T {
    let branch = this.root;
    for (const value of values) branch = branch.next.get(value) ?? grow(branch, value);
    return (branch.tally ??= this.add(values));
  }

  all(): readonly T[] {
    return this.made;
  }

  private add(values: readonly string[]): T {
    const tally = this.make(values);
    this.made.push(tally);
    return tally;
  }
}

function grow<T>(branch: Branch<T>, value: string): Branch<T> {
  const grown: Branch<T> = { next: new Map(), tally: undefined };
  branch.next.set(value, grown);
  return grown;
}
