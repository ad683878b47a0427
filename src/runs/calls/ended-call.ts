import { CREATED_AT } from '@parley/protocol/extension/marks.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { CallFault } from '@parley/sdk/skill/calls/call.js';

/** An ended call: facts for the log and the trace, without its content. */
export interface EndedCall {
  readonly skillId: string;
  /** Absent when no child was created. */
  readonly childId?: string;
  readonly outcome: 'completed' | CallFault;
  /** Creation and end of the child, ms since 1970. */
  readonly begunAt?: number;
  readonly endedAt?: number;
}

/** The times of a child. */
export function timesOf(task: Task | undefined): Pick<EndedCall, 'begunAt' | 'endedAt'> {
  const begunAt = Date.parse(String(task?.metadata?.[CREATED_AT]));
  const endedAt = Date.parse(task?.status.timestamp ?? '');
  return Number.isNaN(begunAt) || Number.isNaN(endedAt) ? {} : { begunAt, endedAt };
}
