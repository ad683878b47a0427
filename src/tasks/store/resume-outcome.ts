import type { TaskState } from '@parley/protocol/model/task-state.js';

/** The result of a message to an existing task. */
export type ResumeOutcome =
  | { readonly kind: 'resumed'; readonly seq: number; readonly fence: number; readonly position: number }
  /**
   * `rev` counts changes of the task without an event. 'woken': the task was parked for such a message, and its run is
   * in the fair queue.
   */
  | { readonly kind: 'queued' | 'woken'; readonly seq: number; readonly rev: number; readonly asks?: true }
  /**
   * It has answered questions and put this many runs into the fair queues. `asks`: the task still waits for answers.
   */
  | {
      readonly kind: 'answered';
      readonly seq: number;
      readonly rev: number;
      readonly runs: number;
      readonly asks?: true;
    }
  /** The same message was accepted before. */
  | { readonly kind: 'sent'; readonly seq: number; readonly rev: number }
  /** Questions are open whose relation to the message the caller does not know (any more). */
  | { readonly kind: 'asked' }
  /** It names a question that is not open: nothing was stored. */
  | { readonly kind: 'unknown-question' }
  /** A run holds the task, so it cannot ask again: nothing was stored. */
  | { readonly kind: 'held' }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' | 'context-mismatch' }
  /** Another message with its id was accepted before. */
  | { readonly kind: 'conflict' }
  /** The task has its maximum of messages, bytes or webhooks. */
  | { readonly kind: 'too-many-messages' | 'too-many-bytes' | 'too-many-webhooks' }
  /** The journal of the asking task has no room for the answer. */
  | { readonly kind: 'journal-full' };

/** The verdict and its data: for a run its event's number, fence, position and the position being served. */
export type ResumeReply = readonly [string, (number | string)?, number?, (number | string)?, number?];

/** Parses the reply of resume.lua. @param requestHash hash of the message, in case its id was used before */
export function resumeOutcome([verdict, value, more, third, last]: ResumeReply, requestHash: string): ResumeOutcome {
  const about = { seq: value as number, rev: more ?? 0 };
  switch (verdict) {
    case 'RESUMED':
      return { kind: 'resumed', seq: value as number, fence: more ?? 0, position: Number(third ?? 0) };
    case 'QUEUED':
      return { kind: 'queued', ...about, ...asking(third) };
    case 'WOKEN':
      return { kind: 'woken', ...about, ...asking(third) };
    case 'SENT':
      return isMarkOf(requestHash, String(third)) ? { kind: 'sent', ...about } : { kind: 'conflict' };
    case 'ANSWERED':
      return { kind: 'answered', ...about, runs: Number(third ?? 0), ...asking(last) };
    case 'ASKED':
      return { kind: 'asked' };
    case 'HELD':
      return { kind: 'held' };
    case 'UNKNOWN':
      return { kind: 'unknown-question' };
    case 'FULL':
      return { kind: 'journal-full' };
    case 'TERMINAL':
      return { kind: 'terminal', state: value as TaskState };
    case 'CONTEXT':
      return { kind: 'context-mismatch' };
    case 'MESSAGES':
      return { kind: 'too-many-messages' };
    case 'HOOKS':
      return { kind: 'too-many-webhooks' };
    case 'BYTES':
      return { kind: 'too-many-bytes' };
    default:
      return { kind: 'not-found' };
  }
}

/**
 * Whether a stored mark of a message id is that of this request: `<anything> <hash>`; processes of an earlier version
 * wrote `!` before some hashes.
 */
export function isMarkOf(requestHash: string, mark: string): boolean {
  return mark.slice(mark.indexOf(' ') + 1).replace(/^!/, '') === requestHash;
}

function asking(flag: number | string | undefined): { readonly asks?: true } {
  return flag === 1 ? { asks: true } : {};
}
