import { Counter, type Registry } from 'prom-client';
import { Tallies } from './tallies.js';

interface Tally<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  added: number;
}

/**
 * A counter for what every call does: it adds to a number of its own, and tells prom-client the sum when it is scraped.
 * prom-client validates and hashes the labels of each increment, which costs three times as much.
 */
export class TalliedCounter<L extends string> {
  private readonly tallies = new Tallies<Tally<L>>((values) => ({
    labels: Object.fromEntries(this.labelNames.map((name, at) => [name, values[at] ?? ''])) as Record<L, string>,
    added: 0,
  }));

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
        for (const tally of tallies.all()) {
          this.inc(tally.labels, tally.added);
          tally.added = 0;
        }
      },
    });
  }

  /** Counts one. @param values of the labels, in their order */
  count(...values: readonly string[]): void {
    this.tallies.of(values).added += 1;
  }
}
