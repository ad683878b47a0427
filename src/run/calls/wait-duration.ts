/** The longest wait of a skill. */
const MOST_WAIT_MS = 366 * 86_400_000;

/** The length of a wait, ms. @throws RangeError for one that is no length, or too long */
export function duration(ms: number): number {
  if (!(ms >= 0 && ms <= MOST_WAIT_MS)) throw new RangeError(`A wait must be 0 to ${String(MOST_WAIT_MS)} ms long`);
  return ms;
}
