/** Pauses between two looks at a task of another agent. */
const FIRST_MS = 1000;
const GROWTH = 1.5;
const MOST_MS = 30_000;

/** The pause before the next look, ms. An agent that asks for more time gets it. */
export function pauseBefore(round: number, retryAfterMs = 0): number {
  return Math.max(Math.min(FIRST_MS * GROWTH ** round, MOST_MS), retryAfterMs);
}
