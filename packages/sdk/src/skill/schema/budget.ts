import { threadMs } from './thread-time.js';

/** Thrown when a check against a foreign schema would exceed its budget of depth, steps or time. */
export class SchemaTooHard extends Error {
  override readonly name = 'SchemaTooHard';

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The schema cannot be used: ${reason}`, options);
  }
}

/** Schemas inside each other, references followed. */
const MAX_DEPTH = 32;
/** Schemas that one value is held against. */
const MAX_STEPS = 50_000;
/** Half of what a foreign schema may hold the event loop, ms: first by the clock, then by the processor time of this thread. */
const HALF_MS = 25;

/** Remaining steps and time of one check. */
export interface Budget {
  steps: number;
  depth: number;
  /** By `performance.now()`. */
  readonly begun: number;
  /** Processor time of the thread when the clock's half was used up. */
  usedBefore?: number;
}

export function newBudget(): Budget {
  return { steps: MAX_STEPS, depth: MAX_DEPTH, begun: performance.now() };
}

/** Does one step of a check. @throws SchemaTooHard when nothing is left */
export function spend<T>(budget: Budget, work: () => T): T {
  budget.steps -= 1;
  budget.depth -= 1;
  if (budget.depth < 0) throw new SchemaTooHard('it is too deep');
  if (budget.steps < 0 || leftMs(budget) <= 0) throw new SchemaTooHard('it takes too long');
  const result = work();
  budget.depth += 1;
  return result;
}

/**
 * Milliseconds that are left of the current half. The clock also runs while the machine runs others, so the second half
 * counts the work of this thread alone: a check that was paused, or ran beside busy threads, has that half whole.
 */
export function leftMs(budget: Budget): number {
  const left = budget.begun + HALF_MS - performance.now();
  if (left > 0) return left;
  const used = threadMs();
  budget.usedBefore ??= used;
  return budget.usedBefore + HALF_MS - used;
}
