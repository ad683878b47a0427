/** The longest wait of a skill. */
const MAX_WAIT_MS = 366 * 86_400_000;

/** The length of a wait, ms. @throws RangeError for an invalid or too long one */
export function duration(ms: number): number {
  if (!(ms >= 0 && ms <= MAX_WAIT_MS)) throw new RangeError(`A wait must be 0 to ${String(MAX_WAIT_MS)} ms long`);
  return ms;
}
