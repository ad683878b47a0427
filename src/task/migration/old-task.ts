/** The members of a task of schema 2 that this migration reads, as fields of its hash. */
export const OLD_FIELDS = [
  ...['state', 'owner', 'context', 'skill', 'tenant', 'client', 'subject', 'ms', 'message', 'states', 'seq', 'last'],
  ...['fence', 'nonce', 'lease', 'worker', 'vacant', 'place', 'cancel', 'turn', 'attempts', 'limit', 'inbox', 'taken'],
  ...[
    'answers',
    'artifacts',
    'hooks',
    'sent',
    'metadata',
    'modes',
    'dialect',
    'external',
    'trace',
    'tracestate',
    'span',
  ],
] as const;

type OldField = (typeof OLD_FIELDS)[number];

/** Fields of the old hash that are not read, and go with the others. */
export const DROPPED_FIELDS: readonly string[] = ['ts', 'head', 'reply'];

/** A task of schema 2. Missing fields are ''. */
export interface OldTask extends Readonly<Record<OldField, string>> {
  readonly id: string;
  /** The names of its artifacts, in the order of their numbers. */
  readonly artifactNames: readonly string[];
  /** The message that began it, as JSON. */
  readonly first: string;
  /** When the sweep is to look at it, ms; undefined where the set of due tasks does not have it. */
  readonly due: number | undefined;
}

/** Reads the values of `OLD_FIELDS`; undefined for a task that is not (or no longer) of schema 2. */
export function oldFields(values: readonly (string | null)[]): Readonly<Record<OldField, string>> | undefined {
  if (values[0] === null || values[0] === undefined) return undefined;
  return Object.fromEntries(OLD_FIELDS.map((name, at) => [name, values[at] ?? ''])) as Record<OldField, string>;
}
