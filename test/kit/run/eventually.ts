export interface EventuallyOptions {
  /** How long to go on trying, in milliseconds; default 20,000: a busy machine is slow, not wrong. */
  readonly timeoutMs?: number;
  /** Pause between two tries, in milliseconds; default 20. */
  readonly intervalMs?: number;
}

/**
 * Tries `attempt` again and again until it does not throw, and returns what it returned: the way to wait in a test.
 * An assertion inside is what is waited for: `await eventually(() => expect(calls).toHaveLength(3))`.
 * @throws the last error, once the time is over
 */
export async function eventually<T>(attempt: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const { timeoutMs = 20_000, intervalMs = 20 } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
