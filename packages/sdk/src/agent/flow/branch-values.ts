/** Values that steps have left, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The values that one branch of a flow sees: those at its start, and its own. */
export class BranchValues {
  private readonly own = new Map<string, unknown>();

  constructor(private readonly before: Values) {}

  get all(): Values {
    return { ...this.before, ...Object.fromEntries(this.own) };
  }

  /** Values written by this branch. */
  get written(): ReadonlyMap<string, unknown> {
    return this.own;
  }

  get(name: string): unknown {
    return this.own.has(name) ? this.own.get(name) : this.before[name];
  }

  set(name: string, value: unknown): void {
    this.own.set(name, value);
  }

  /** A branch that begins with the values known here. */
  fork(): BranchValues {
    return new BranchValues(this.all);
  }
}
