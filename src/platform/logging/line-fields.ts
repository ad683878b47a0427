import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of every log line of a call or a run, besides its own. */
export type LineFields = Readonly<Record<string, string>>;

const scope = new AsyncLocalStorage<Record<string, string>>();

/** Characters of a caller's text in a line. */
const MAX_TEXT = 128;

/** A caller's text made safe for a line. */
export function loggable(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[^\w.:/+=@ -]/g, '?');
}

/**
 * Runs work with the fields in its log lines, and without those of the work around it: a run may start the next one.
 */
export function withLineFields<T>(fields: LineFields, work: () => T): T {
  return scope.run({ ...fields }, work);
}

/** Runs work that belongs to no call, wherever it is started. */
export function withoutLineFields<T>(work: () => T): T {
  return scope.exit(work);
}

/** Adds fields to the following lines of the current work. */
export function addLineFields(fields: LineFields): void {
  const known = scope.getStore();
  if (known !== undefined) Object.assign(known, fields);
}

/** The fields of the current work. */
export function lineFields(): LineFields | undefined {
  return scope.getStore();
}
