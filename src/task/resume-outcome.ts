import type { TaskState } from '../protocol/task-state.js';

/** The result of a message to an existing task. */
export type ResumeOutcome =
  | { readonly kind: 'resumed'; readonly seq: number; readonly fence: number; readonly position: number }
  /** `rev` counts the changes of the task without an event. 'woken': the task was parked until such a message came, and its run is in the fair queue. */
  | { readonly kind: 'queued' | 'woken' | 'sent'; readonly seq: number; readonly rev: number }
  /** It has answered questions: so many runs are in the fair queues now. */
  | { readonly kind: 'answered'; readonly seq: number; readonly rev: number; readonly runs: number }
  /** Questions are open of which the caller does not know what the message is to them, or no longer knows. */
  | { readonly kind: 'asked' }
  /** It names a question that is not open: nothing was stored. */
  | { readonly kind: 'unknown-question' }
  /** A run holds the task, so nothing can be asked again: nothing was stored. */
  | { readonly kind: 'held' }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' | 'context-mismatch' | 'conflict' }
  /** The task has as many messages, bytes or webhooks as a task may have. */
  | { readonly kind: 'too-many-messages' | 'too-many-bytes' | 'too-many-webhooks' }
  /** The journal of the task that asks has no room for the answer. */
  | { readonly kind: 'journal-full' };

/** The verdict, then what it is about: for a run its event's number, fence, position and the position being served. */
export type ResumeReply = readonly [string, (number | string)?, number?, number?, number?];

/** Reads the reply of resume.lua. */
export function resumeOutcome([verdict, value, more, position]: ResumeReply): ResumeOutcome {
  switch (verdict) {
    case 'RESUMED':
      return { kind: 'resumed', seq: value as number, fence: more ?? 0, position: position ?? 0 };
    case 'QUEUED':
      return { kind: 'queued', seq: value as number, rev: more ?? 0 };
    case 'WOKEN':
      return { kind: 'woken', seq: value as number, rev: more ?? 0 };
    case 'SENT':
      return { kind: 'sent', seq: value as number, rev: more ?? 0 };
    case 'ANSWERED':
      return { kind: 'answered', seq: value as number, rev: more ?? 0, runs: position ?? 0 };
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
    case 'CONFLICT':
      return { kind: 'conflict' };
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
