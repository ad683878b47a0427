import { Counter, type Registry } from 'prom-client';

/**
 * A counter for what every call does: it adds to a number of its own, and tells prom-client the sum when it is scraped.
 * prom-client validates and hashes the labels of each increment, which costs three times as much.
 */
export class TalliedCounter<L extends string> {
  private readonly tallies = new Map<string, { readonly labels: Readonly<Record<L, string>>; added: number }>();

  constructor(
    registry: Registry,
    name: string,
    help: string,
    private readonly labelNames: readonly L[],
  ) {
    const { tallies } = this;
    new Counter({
      ...{ name, help, labelNames, registers: [registry] },
      collect() {
        for (const tally of tallies.values()) {
          this.inc(tally.labels, tally.added);
          tally.added = 0;
        }
      },
    });
  }

  /** Counts one. @param values of the labels, in their order */
  count(...values: readonly string[]): void {
    const key = values.join(' ');
    const tally = this.tallies.get(key) ?? this.newTally(key, values);
    tally.added += 1;
  }

  private newTally(key: string, values: readonly string[]): { labels: Readonly<Record<L, string>>; added: number } {
    const labels = Object.fromEntries(this.labelNames.map((name, at) => [name, values[at] ?? '']));
    const tally = { labels: labels as Record<L, string>, added: 0 };
    this.tallies.set(key, tally);
    return tally;
  }
}
