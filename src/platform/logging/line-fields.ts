import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of a call or a run has, beside its own members. */
export type LineFields = Readonly<Record<string, string>>;

const scope = new AsyncLocalStorage<LineFields>();

/** Runs work whose log lines have the fields, and those of the work around it. */
export function withLineFields<T>(fields: LineFields, work: () => T): T {
  return scope.run({ ...scope.getStore(), ...fields }, work);
}

/** The fields of the work that is running now. */
export function lineFields(): LineFields | undefined {
  return scope.getStore();
}
