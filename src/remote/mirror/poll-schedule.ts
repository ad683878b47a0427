import { hash } from 'node:crypto';

/** Pauses between two looks at a task of another agent. */
const FIRST_MS = 1000;
const GROWTH = 1.5;
const MOST_MS = 30_000;
/** With a webhook, looks are for callbacks that were lost: 30 s, twice as long each time, up to 15 min. */
const FIRST_PUSHED_MS = 30_000;
const MOST_PUSHED_MS = 900_000;
/** Of a longest pause, so that the tasks of an agent that was down are not all looked at at once. */
const SPREAD = 0.4;
/** Each look is four entries of the journal, which has 10,000 for a day: from this look on they are further apart. */
const MANY = 240;
const LATE_MS = 60_000;
/** The longest pause while an agent waits for a login: the journal has room for those of 30 days. */
export const LOGIN_MS = 3_600_000;

/** The pause before the next look, ms. An agent that asks for more time gets it. @param late the pause after many looks */
export function pauseBefore(round: number, retryAfterMs = 0, late = LATE_MS): number {
  const usual = round < MANY ? Math.min(FIRST_MS * GROWTH ** round, MOST_MS) : late;
  return Math.max(usual, retryAfterMs);
}

/** The same where a webhook says when to look. @param taskId the same pause in every run of a task */
export function backstopBefore(round: number, taskId: string, most = MOST_PUSHED_MS): number {
  const usual = Math.min(FIRST_PUSHED_MS * 2 ** round, most);
  const chance = parseInt(hash('sha256', `${taskId} ${String(round)}`, 'hex').slice(0, 8), 16) / 2 ** 32;
  return Math.round(usual * (1 - SPREAD / 2 + SPREAD * chance));
}

/** How far looks are apart at least on average of two, ms, however many callbacks come. */
export function leastApart(round: number): number {
  return round < MANY ? FIRST_MS : LATE_MS;
}
