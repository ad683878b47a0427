import type { TaskState } from '../protocol/task-state.js';

/** What has become of a message to a task that exists. */
export type ResumeOutcome =
  | { readonly kind: 'resumed'; readonly seq: number; readonly fence: number; readonly place: number }
  | { readonly kind: 'queued' | 'sent'; readonly seq: number }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' | 'context-mismatch' | 'conflict' | 'too-many-webhooks' };

/** The verdict, then what it is about: for a run its event's number, fence, place in line and the place being served. */
export type ResumeReply = readonly [string, (number | string)?, number?, number?, number?];

/** Reads the reply of resume.lua. */
export function resumeOutcome([verdict, value, fence, place]: ResumeReply): ResumeOutcome {
  switch (verdict) {
    case 'RESUMED':
      return { kind: 'resumed', seq: value as number, fence: fence ?? 0, place: place ?? 0 };
    case 'QUEUED':
      return { kind: 'queued', seq: value as number };
    case 'SENT':
      return { kind: 'sent', seq: value as number };
    case 'TERMINAL':
      return { kind: 'terminal', state: value as TaskState };
    case 'CONTEXT':
      return { kind: 'context-mismatch' };
    case 'CONFLICT':
      return { kind: 'conflict' };
    case 'HOOKS':
      return { kind: 'too-many-webhooks' };
    default:
      return { kind: 'not-found' };
  }
}
