import { Gauge, type Registry } from 'prom-client';

interface Named {
  readonly name: string;
  readonly help: string;
}

/** A gauge whose value is asked at each scrape. A scrape must tell of an outage, not fail in it: NaN then. */
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
