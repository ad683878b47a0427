import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of a call or a run has, beside its own members. */
export type LineFields = Readonly<Record<string, string>>;

const scope = new AsyncLocalStorage<LineFields>();

/** Characters of a text of a caller in a line. */
const MAX_TEXT = 128;

/** A text of a caller, fit for a line. */
export function loggable(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\w.:/+=@ -]/g, '?');
}

/** Runs work whose log lines have the fields, and those of the work around it. */
export function withLineFields<T>(fields: LineFields, work: () => T): T {
  return scope.run({ ...scope.getStore(), ...fields }, work);
}

/** The fields of the work that is running now. */
export function lineFields(): LineFields | undefined {
  return scope.getStore();
}
