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
/** No foreign schema holds the event loop longer, ms of processor time: while the machine runs others, nothing is used up. */
const MAX_MS = 50;

/** Remaining steps and time of one check. */
export interface Budget {
  steps: number;
  depth: number;
  /** By `performance.now()`. */
  readonly begun: number;
  readonly usedBefore: NodeJS.CpuUsage;
}

export function newBudget(): Budget {
  return { steps: MAX_STEPS, depth: MAX_DEPTH, begun: performance.now(), usedBefore: process.cpuUsage() };
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

/** Milliseconds that are left. The clock is asked first, as it is cheaper: no thread works for longer than it says. */
export function leftMs({ begun, usedBefore }: Budget): number {
  const left = begun + MAX_MS - performance.now();
  if (left > 0) return left;
  const { user, system } = process.cpuUsage(usedBefore);
  return MAX_MS - (user + system) / 1000;
}
