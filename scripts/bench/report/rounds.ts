import type { Measure } from '../bench-case.js';
import type { Lab, Load } from '../system/lab.js';
import type { System, SystemName } from '../system/system.js';

/** V8 continues to compile for thousands of requests, on Node 24 for twice as many as before; a service runs for weeks. */
const WARM_AFTER = 40_000;
const MAX_WARM_UPS = 20;
const WARM_UP_S = 1;
const QUICK_WARM_UP_S = 0.2;

/** Requests that were answered in a second. */
export const RATE = 'requests/s';
/** Of all processes of a system, its Redis included. */
export const PROCESSOR_TIME = 'processor time per request, µs';

/** Gathers the figures of the rounds of one case. */
export class Rounds {
  private readonly values = new Map<string, { figure: string; system: SystemName; values: number[] }>();

  constructor(private readonly what: string) {}

  get measures(): readonly Measure[] {
    return [...this.values.values()].map((measure) => ({ case: this.what, ...measure }));
  }

  add(figure: string, system: SystemName, value: number): void {
    const key = `${figure} ${system}`;
    const present = this.values.get(key) ?? { figure, system, values: [] };
    this.values.set(key, present);
    present.values.push(value);
  }

  /** Puts its load on every system in turn, once to warm up and then once in each round. */
  async interleave(lab: Lab, loads: ReadonlyMap<System, Load>): Promise<void> {
    for (const [system, load] of loads) await warmUp(lab, system, load);
    for (let round = 0; round < lab.effort.rounds; round += 1) {
      for (const [system, load] of loads) await this.measure(lab, system, load);
    }
  }

  /** One load on one system. Gives the requests per second. */
  async measure(lab: Lab, system: System, load: Load): Promise<number> {
    const before = await system.processorMs();
    const { count, seconds, p50, p99 } = await lab.load(system, load);
    await system.quiet();
    const after = await system.processorMs();
    if (load.perSecond === undefined) this.add(RATE, system.name, count / seconds);
    this.add('p50, ms', system.name, p50);
    this.add('p99, ms', system.name, p99);
    const [node, redis] = [after.node - before.node, (after.redis ?? 0) - (before.redis ?? 0)];
    this.add(PROCESSOR_TIME, system.name, ((node + redis) * 1000) / count);
    if (after.redis !== undefined) this.add('of this, Redis, µs', system.name, (redis * 1000) / count);
    return count / seconds;
  }
}

/** A load of which nothing is kept: as many requests for each system, as far as time allows. */
export async function warmUp(lab: Lab, system: System, load: Load): Promise<void> {
  const [seconds, most] = lab.effort.quick ? [QUICK_WARM_UP_S, 1] : [WARM_UP_S, MAX_WARM_UPS];
  let answered = 0;
  for (let count = 0; count < most && answered < (lab.effort.warmUp ?? WARM_AFTER); count += 1) {
    answered += (await lab.load(system, load, seconds)).count;
  }
  await system.quiet();
}
