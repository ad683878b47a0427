import type { Report } from './reader/reader-thread.js';

/** Runs work and yields its reports meanwhile; returns its result and rethrows its error. */
export async function* whileWorking<T>(work: (report: Report) => Promise<T>): AsyncGenerator<string, T, void> {
  const reports: string[] = [];
  let wake = (): void => undefined;
  const state = { isOver: false };
  const result = work((progress) => {
    reports.push(progress);
    wake();
  }).finally(() => {
    state.isOver = true;
    wake();
  });
  // The result is awaited below; until then a failure must not count as unhandled.
  result.catch(() => undefined);
  for (;;) {
    const report = reports.shift();
    if (report !== undefined) {
      yield report;
    } else if (state.isOver) {
      return result;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}
