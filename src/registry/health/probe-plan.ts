import type { EntryHealth } from '../entry/registry-entry.js';

/** Failures in a row after which an agent counts as failing. */
const FAILING_AFTER = 3;
/** Without any success for so long, an agent is stale. */
const STALE_AFTER_MS = 24 * 3_600_000;
/** The longest pause between two looks at an agent that fails. */
const LONGEST_MS = 3_600_000;
/** Share of a pause by which looks are spread. */
const SPREAD = 0.2;
const MOST_REASON = 300;

type Validators = Pick<EntryHealth, 'etag' | 'lastModified'>;

/** The health after a look that has succeeded. */
export function afterSuccess(now: number, { etag, lastModified }: Validators): EntryHealth {
  return {
    ...{ state: 'healthy', failures: 0, seen: now },
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

/** The health after a look that has failed: one failure says nothing yet. */
export function afterFailure(before: EntryHealth, now: number, reason: string): EntryHealth {
  const failures = before.failures + 1;
  const isStale = before.seen !== undefined && now - before.seen >= STALE_AFTER_MS;
  const state = isStale ? 'stale' : failures >= FAILING_AFTER ? 'failing' : before.state;
  return { ...before, state, failures, reason: reason.slice(0, MOST_REASON) };
}

/** The pause until the next look, ms: spread, and longer the more looks have failed. @param chance from 0 to 1 */
export function pauseAfter({ failures }: EntryHealth, probeMs: number, chance = Math.random()): number {
  const tail = Math.max(0, failures - FAILING_AFTER);
  const pause = Math.min(probeMs * 2 ** Math.min(tail, 20), Math.max(LONGEST_MS, probeMs));
  return pause * (1 - SPREAD / 2 + SPREAD * chance);
}
