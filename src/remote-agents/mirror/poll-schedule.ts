import { hash } from 'node:crypto';

/** First pause between two polls of another agent's task. */
const FIRST_MS = 1000;
const GROWTH = 1.5;
const MAX_MS = 30_000;
/** With a webhook, polls only cover lost callbacks: 30 s, doubled each time up to 15 min. */
const FIRST_PUSHED_MS = 30_000;
const MAX_PUSHED_MS = 900_000;
/** Share of the longest pause, so that the tasks of an agent that was down are not polled all at once. */
const SPREAD = 0.4;
/** A poll adds four journal entries, and the journal holds 10,000 for a day: from this poll on pauses are longer. */
const MANY = 240;
const LATE_MS = 60_000;
/** The longest pause while an agent waits for a login: 30 days of polls fit into the journal. */
export const LOGIN_MS = 3_600_000;

/** The pause before the next poll, ms, at least `retryAfterMs`. @param late the pause after many polls */
export function pauseBefore(round: number, retryAfterMs = 0, late = LATE_MS): number {
  const usual = round < MANY ? Math.min(FIRST_MS * GROWTH ** round, MAX_MS) : late;
  return Math.max(usual, retryAfterMs);
}

/**
 * The pause before the next poll where a webhook reports changes. @param taskId makes the pause equal in every run of a
 * task
 */
export function backstopBefore(round: number, taskId: string, most = MAX_PUSHED_MS): number {
  const usual = Math.min(FIRST_PUSHED_MS * 2 ** round, most);
  const chance = parseInt(hash('sha256', `${taskId} ${String(round)}`, 'hex').slice(0, 8), 16) / 2 ** 32;
  return Math.round(usual * (1 - SPREAD / 2 + SPREAD * chance));
}

/** Minimum average distance of two polls, ms, however many callbacks come. */
export function leastApart(round: number): number {
  return round < MANY ? FIRST_MS : LATE_MS;
}
