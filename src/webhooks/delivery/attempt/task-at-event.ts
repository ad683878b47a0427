import type { StreamResponse } from '@parley/protocol/model/event.js';
import { foldTask } from '@parley/protocol/model/fold-task.js';
import type { Message } from '@parley/protocol/model/message.js';
import { isOfChild } from '@parley/protocol/model/subtask.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import type { LoggedEvent } from '../../../tasks/commit/event-log.js';

/**
 * A task as of one of its events. When the log was trimmed, the status is as of the event and the artifacts are
 * current.
 * @param now the current task
 * @param events its log, as far as it was read
 */
export function taskAtEvent(now: Task, events: readonly LoggedEvent[], seq: number): Task {
  const past = events.filter((logged) => logged.seq <= seq).map(({ event }) => event.value);
  const [first, ...later] = past;
  const { status, artifacts } =
    first !== undefined && 'task' in first
      ? foldTask(first.task, later)
      : { ...now, status: lastStatus(past) ?? now.status };
  const history = historyAt(now, events, { seq, status });
  const { artifacts: _present, history: _whole, ...rest } = now;
  return {
    ...{ ...rest, status },
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(history.length === 0 ? {} : { history }),
  };
}

function lastStatus(events: readonly StreamResponse[]): TaskStatus | undefined {
  const last = events.findLast((event) => 'statusUpdate' in event && !isOfChild(event));
  return last !== undefined && 'statusUpdate' in last ? last.statusUpdate.status : undefined;
}

/** The history before that status's message and those of later statuses: everything after them is newer. */
function historyAt(
  { history = [] }: Task,
  events: readonly LoggedEvent[],
  { seq, status }: { readonly seq: number; readonly status: TaskStatus },
): readonly Message[] {
  const later = events.flatMap(({ seq: at, event: { value } }) =>
    at > seq && 'statusUpdate' in value ? [value.statusUpdate.status.message?.messageId] : [],
  );
  const notYet = new Set([status.message?.messageId, ...later]);
  const end = history.findIndex(({ messageId }) => notYet.has(messageId));
  return end === -1 ? history : history.slice(0, end);
}
