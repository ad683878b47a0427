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

/** The same with a value for each state; none in an outage. */
export function askedGaugeByState(
  registry: Registry,
  named: Named,
  ask: () => Promise<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    ...named,
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      const counts = await ask().catch(() => ({}));
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
}
