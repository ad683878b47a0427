import type { EntryHealth } from '../entry/registry-entry.js';

/** Consecutive failures after which an agent is failing. */
const FAILING_AFTER = 3;
/** Time without a success after which an agent is stale. */
const STALE_AFTER_MS = 24 * 3_600_000;
/** The longest pause between two probes of a failing agent. */
const LONGEST_MS = 3_600_000;
/** Share of a pause by which probes are spread. */
const SPREAD = 0.2;
const MAX_REASON = 300;

type Validators = Pick<EntryHealth, 'etag' | 'lastModified'>;

/** The health after a successful probe. */
export function afterSuccess(now: number, { etag, lastModified }: Validators): EntryHealth {
  return {
    ...{ state: 'healthy', failures: 0, seen: now },
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

/** The health after a failed probe; a single failure does not change the state. */
export function afterFailure(before: EntryHealth, now: number, reason: string): EntryHealth {
  const failures = before.failures + 1;
  const isStale = before.seen !== undefined && now - before.seen >= STALE_AFTER_MS;
  const state = isStale ? 'stale' : failures >= FAILING_AFTER ? 'failing' : before.state;
  return { ...before, state, failures, reason: reason.slice(0, MAX_REASON) };
}

/** The pause until the next probe, ms: spread, and longer with each failure. @param chance from 0 to 1 */
export function pauseAfter({ failures }: EntryHealth, probeMs: number, chance = Math.random()): number {
  const tail = Math.max(0, failures - FAILING_AFTER);
  const pause = Math.min(probeMs * 2 ** Math.min(tail, 20), Math.max(LONGEST_MS, probeMs));
  return pause * (1 - SPREAD / 2 + SPREAD * chance);
}
