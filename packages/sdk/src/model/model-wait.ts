import { setTimeout as pause } from 'node:timers/promises';
import type { SkillContext } from '../skill/skill.js';
import { currentStep } from '../skill/step-scope.js';
import { ModelFault } from './model-fault.js';

/** A call that the model has not taken: its turn waits, parked, and asks again. The journal has it in place of a reply. */
export interface Delayed {
  readonly laterMs: number;
}

/** The waits of a call so far, counted from the journal. */
export interface Waited {
  readonly times: number;
  readonly ms: number;
}

export const NOT_WAITED: Waited = { times: 0, ms: 0 };
export const DEFAULT_MAX_WAIT_MS = 600_000;
/** Attempts at a model that is down. Then the turn is retried like after any other error. */
const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
/** Pauses of an account without capacity that names no time. */
const FIRST_RATE_PAUSE_MS = 5_000;
const LONGEST_RATE_PAUSE_MS = 120_000;

/** How long a call waits after a fault, ms; undefined where it does not ask again. */
export function delayAfter(error: unknown, { times, ms }: Waited, maxWaitMs: number): number | undefined {
  if (!(error instanceof ModelFault)) return undefined;
  const { kind, retryAfterMs } = error;
  if (kind === 'rate') {
    const laterMs = retryAfterMs ?? Math.min(FIRST_RATE_PAUSE_MS * 2 ** times, LONGEST_RATE_PAUSE_MS);
    return ms + laterMs > maxWaitMs ? undefined : Math.max(1, Math.ceil(laterMs));
  }
  if (kind !== 'unavailable' || times + 1 >= MAX_ATTEMPTS) return undefined;
  const laterMs = retryAfterMs ?? FIRST_PAUSE_MS * 2 ** times * (0.5 + Math.random());
  return laterMs > LONGEST_PAUSE_MS ? undefined : Math.max(1, Math.ceil(laterMs));
}

/** Waits as the context can: parked in a turn of a task, within the run in a direct skill, or in a step. */
export async function waitIn(context: SkillContext, { laterMs }: Delayed, { times, ms }: Waited): Promise<Waited> {
  if (currentStep() === undefined) await context.sleep(laterMs);
  else await pause(laterMs, undefined, { signal: context.signal });
  return { times: times + 1, ms: ms + laterMs };
}
