import { Fleet, type FleetOptions } from '../fleet/fleet.js';
import type { Random } from './random.js';
import { type Verdict, verdict } from '../check/verdict.js';
import { healthyReceiver } from '../webhook/receivers.js';
import { webhookVariables } from '../webhook/settings.js';
import { Workload, type WorkloadOptions } from './workload.js';

interface HookedWorkload {
  readonly fleet: FleetOptions;
  readonly workload: Omit<WorkloadOptions, 'hooked'> & { readonly hookedShare: number };
  readonly timeoutMs: number;
  /** Does harm to the fleet for as long as the work continues; the work may be done again. */
  readonly harm: (fleet: Fleet, work: () => Promise<void>) => Promise<void>;
}

/** Findings of the checker when all is quiet again. */
export interface Survived extends Verdict {
  readonly fleet: Fleet;
  readonly seconds: number;
}

/** Harms a fleet under a workload of which a share has webhooks. */
export async function survive(
  { fleet: size, workload: { hookedShare, ...work }, timeoutMs, harm }: HookedWorkload,
  random: Random,
): Promise<Survived> {
  const receiver = await healthyReceiver().listen();
  const fleet = await Fleet.start({ ...size, variables: { ...size.variables, ...webhookVariables([receiver]) } });
  try {
    const hooked = { share: hookedShare, receiver };
    const workload = new Workload({ ...work, hooked }, () => fleet.apis, random);
    const began = Date.now();
    await harm(fleet, () => workload.run(timeoutMs));
    const seconds = Math.round((Date.now() - began) / 1000);
    return { ...(await verdict(fleet, workload.history)), fleet, seconds };
  } finally {
    await fleet.stop();
    await receiver.close();
  }
}
