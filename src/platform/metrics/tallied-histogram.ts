import { Histogram, type Registry } from 'prom-client';
import { Tallies } from './tallies.js';

/** The values of a set of labels. */
interface Tally<L extends string> {
  readonly labels: Readonly<Partial<Record<L, string>>>;
  /** How many values each bucket has got, without those of the buckets below; the last one is without bound. */
  readonly counts: number[];
  sum: number;
}

/** A line of a scrape, as prom-client writes it. */
interface Told {
  readonly metricName: string;
  readonly labels: { readonly le?: number | '+Inf' };
  readonly sharedLabels: Readonly<Record<string, string | undefined>>;
  readonly value: number;
}

/**
 * A histogram for what every call does. prom-client validates and hashes the labels of each value and writes numbers as
 * texts to find its bucket; here it adds to numbers of its own, which prom-client gets when it is scraped.
 */
export class TalliedHistogram<L extends string = never> {
  private readonly tallies = new Tallies<Tally<L>>((values) => this.newTally(values));
  private readonly buckets: readonly number[];

  constructor(
    registry: Registry,
    private readonly name: string,
    help: string,
    private readonly options: { readonly labels: readonly L[]; readonly buckets: number[] },
  ) {
    const { labels, buckets } = options;
    this.buckets = buckets;
    const config = { name, help, labelNames: labels, buckets, registers: [registry] };
    new AskedHistogram(config, () => this.tallies.all().flatMap((tally) => this.told(tally)));
    if (labels.length === 0) this.tallies.of([]);
  }

  /** Counts a value. What is no number is left out. @param labels their values, in their order */
  observe(value: number, ...labels: readonly string[]): void {
    if (!Number.isFinite(value)) return;
    const tally = this.tallies.of(labels);
    const { buckets } = this;
    let at = 0;
    while (at < buckets.length && value > (buckets[at] ?? 0)) at += 1;
    tally.counts[at] = (tally.counts[at] ?? 0) + 1;
    tally.sum += value;
  }

  private newTally(values: readonly string[]): Tally<L> {
    const labels = Object.fromEntries(this.options.labels.map((name, at) => [name, values[at] ?? '']));
    const counts = Array<number>(this.buckets.length + 1).fill(0);
    return { labels: labels as Partial<Record<L, string>>, counts, sum: 0 };
  }

  private told({ labels: sharedLabels, counts, sum }: Tally<L>): readonly Told[] {
    let upTo = 0;
    const buckets = [...this.buckets, '+Inf' as const].map((le, at) => {
      upTo += counts[at] ?? 0;
      return { metricName: `${this.name}_bucket`, labels: { le }, sharedLabels, value: upTo };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: {}, sharedLabels, value: sum },
      { metricName: `${this.name}_count`, labels: {}, sharedLabels, value: upTo },
    ];
  }
}

/** prom-client's histogram with lines that come from elsewhere. */
class AskedHistogram<L extends string> extends Histogram<L> {
  constructor(
    private readonly config: ConstructorParameters<typeof Histogram<L>>[0],
    private readonly ask: () => readonly Told[],
  ) {
    super(config);
  }

  /** What `get` and the registry of prom-client ask; its types do not know it. */
  getForPromString(): Promise<object> {
    const { name, help } = this.config;
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: this.ask() });
  }
}
