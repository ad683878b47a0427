import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';

/** Actions recorded in a registry. */
export const LOG_ACTIONS = [
  'registered',
  'changed',
  'drifted',
  'approved',
  'suspended',
  'visibility',
  'retired',
  'key-pinned',
  'key-removed',
] as const;
export type LogAction = (typeof LOG_ACTIONS)[number];

/** A line of the log. Each has the digest of the one before, so that a removed or changed line shows. */
export interface LogEvent {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly action: LogAction;
  /** The agent, or the publisher of a key. */
  readonly subject: string;
  /** The client, and the person that it acts for; `prober` for findings of a check of the card. */
  readonly by: { readonly client: string; readonly subject?: string };
  /** Digest of the card that it is about. */
  readonly hash?: string;
  readonly why?: string;
  /** Digest of the event before; empty for the first. */
  readonly prev: string;
}

/** Author's part of an event; position and time come from the log. */
export type LogNote = Omit<LogEvent, 'seq' | 'at' | 'prev'>;

/** The end of a log: where the next event is appended. */
export interface LogHead {
  readonly seq: number;
  readonly digest: string;
}

export const EMPTY_LOG: LogHead = { seq: 0, digest: '' };

/** The event that follows a head. */
export function nextEvent({ seq, digest }: LogHead, at: string, note: LogNote): LogEvent {
  return { seq: seq + 1, at, ...note, prev: digest };
}

/** SHA-256 of an event in its canonical form (RFC 8785), so that every language can verify a log. */
export function digestOfEvent(event: LogEvent): string {
  return createHash('sha256')
    .update(canonicalize(event) ?? '')
    .digest('hex');
}

/**
 * Whether events follow each other without a gap, up to the given head. Older events may be gone: the log keeps the last
 * ones. Returns the number of the first event that does not fit; undefined where all do.
 */
export function brokenAt(events: readonly LogEvent[], head: LogHead): number | undefined {
  for (const [at, event] of events.entries()) {
    const next = events[at + 1] ?? { seq: head.seq + 1, prev: head.digest };
    if (next.seq !== event.seq + 1 || next.prev !== digestOfEvent(event)) return event.seq;
  }
  return undefined;
}
