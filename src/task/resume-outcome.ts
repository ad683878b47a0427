import type { TaskState } from '../protocol/task-state.js';

/** What came of a message for a task that was there before. */
export type ResumeOutcome =
  | { readonly kind: 'resumed'; readonly seq: number; readonly fence: number }
  | { readonly kind: 'queued' | 'sent'; readonly seq: number }
  | { readonly kind: 'terminal'; readonly state: TaskState }
  | { readonly kind: 'not-found' | 'context-mismatch' | 'conflict' };

/** What resume.lua says. */
export function resumeOutcome([verdict, value, fence]: [string, (number | string)?, number?]): ResumeOutcome {
  switch (verdict) {
    case 'RESUMED':
      return { kind: 'resumed', seq: value as number, fence: fence ?? 0 };
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
    default:
      return { kind: 'not-found' };
  }
}
