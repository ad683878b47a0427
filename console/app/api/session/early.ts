/** Requests of the first screen that were sent before it was drawn, each until it is taken. */
const sent = new Map<string, Promise<unknown>>();

/** Reads paths of the API now, for the screen that will ask for them. */
export function readEarly(paths: readonly string[], read: (path: string) => Promise<unknown>): void {
  for (const path of paths) {
    const answer = read(path);
    // Handled where it is taken.
    answer.catch(() => undefined);
    sent.set(path, answer);
  }
}

/** The answer to an early request, once: later reads send a new request. */
export function takeEarly(path: string): Promise<unknown> | undefined {
  const answer = sent.get(path);
  sent.delete(path);
  return answer;
}
