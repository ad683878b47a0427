import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of a call or a run has, beside its own members. */
export type LineFields = Readonly<Record<string, string>>;

const scope = new AsyncLocalStorage<Record<string, string>>();

/** Characters of a text of a caller in a line. */
const MAX_TEXT = 128;

/** A text of a caller, fit for a line. */
export function loggable(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\w.:/+=@ -]/g, '?');
}

/** Runs work whose log lines have the fields, and none of the work around it: a run begins the next one. */
export function withLineFields<T>(fields: LineFields, work: () => T): T {
  return scope.run({ ...fields }, work);
}

/** Runs work that belongs to no call, from wherever it is begun. */
export function withoutLineFields<T>(work: () => T): T {
  return scope.exit(work);
}

/** Adds what has become known of the work that is running now, for the lines that follow. */
export function addLineFields(fields: LineFields): void {
  const known = scope.getStore();
  if (known !== undefined) Object.assign(known, fields);
}

/** The fields of the work that is running now. */
export function lineFields(): LineFields | undefined {
  return scope.getStore();
}
