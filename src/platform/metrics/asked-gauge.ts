import { Gauge, type Registry } from 'prom-client';

interface Named {
  readonly name: string;
  readonly help: string;
}

/** A gauge read at each scrape. During an outage its value is NaN, so that the scrape itself succeeds. */
export function askedGauge(registry: Registry, named: Named, ask: () => Promise<number>): void {
  new Gauge({
    ...named,
    registers: [registry],
    async collect() {
      this.set(await ask().catch(() => NaN));
    },
  });
}

/** The same with one value per label value, such as states; none during an outage. @param label name of the label */
export function askedGaugeBy(
  registry: Registry,
  { label, ...named }: Named & { readonly label: string },
  ask: () => Promise<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    ...named,
    labelNames: [label],
    registers: [registry],
    async collect() {
      this.reset();
      const counts = await ask().catch(() => ({}));
      for (const [word, count] of Object.entries(counts)) this.set({ [label]: word }, count);
    },
  });
}
