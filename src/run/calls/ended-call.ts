import { CREATED_AT } from '@parley/protocol/extension/marks.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { CallFault } from '@parley/sdk/skill/calls/call.js';

/** A call that has come out: facts for the log and the trace, none of its content. */
export interface EndedCall {
  readonly skillId: string;
  /** Absent where no child was made. */
  readonly childId?: string;
  readonly outcome: 'completed' | CallFault;
  /** When the child was made and when it ended, ms since 1970. */
  readonly begunAt?: number;
  readonly endedAt?: number;
}

/** The times of a child. */
export function timesOf(task: Task | undefined): Pick<EndedCall, 'begunAt' | 'endedAt'> {
  const begunAt = Date.parse(String(task?.metadata?.[CREATED_AT]));
  const endedAt = Date.parse(task?.status.timestamp ?? '');
  return Number.isNaN(begunAt) || Number.isNaN(endedAt) ? {} : { begunAt, endedAt };
}
