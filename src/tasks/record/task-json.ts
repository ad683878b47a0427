import { padded } from '../../platform/redis/redis-clock.js';
import { wellFormedJson } from '@parley/protocol/model/json.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';

/** A status as input of scripts: its members separately, and as the end of a statusUpdate event. */
export interface StatusText {
  readonly state: TaskState;
  readonly timestamp: string;
  /** The timestamp in ms, 13 digits, so that names sort by time. */
  readonly ms: string;
  /** JSON of the status message, or ''. */
  readonly message: string;
}

/** A task as it begins. */
export interface TaskText {
  readonly id: string;
  readonly contextId: string;
  readonly status: StatusText;
  /** JSON of the message that begins it. */
  readonly message: string;
  /** JSON object, or ''. */
  readonly metadata: string;
}

/** @param ms since 1970 */
export function statusText(state: TaskState, ms: number, message: unknown): StatusText {
  const text = message === undefined ? '' : wellFormedJson(message);
  return { state, timestamp: new Date(ms).toISOString(), ms: padded(ms), message: text };
}

/** A status as the record has it: `<ms> <message or nothing>`. */
export function storedStatus(state: TaskState, text: string): StatusText {
  const ms = text.slice(0, 13);
  return { state, timestamp: new Date(Number(ms)).toISOString(), ms, message: text.slice(14) };
}

export function statusJson(status: {
  readonly state: string;
  readonly timestamp: string;
  readonly message: string;
}): string {
  const message = status.message === '' ? '' : `,"message":${status.message}`;
  return `{"state":"${status.state}"${message},"timestamp":"${status.timestamp}"}`;
}

/** A task as A2A 1.0 JSON, from stored texts unchanged. Omits empty history and artifacts. */
export function taskJson(
  task: Omit<TaskText, 'message'> & { readonly artifacts: string; readonly history: readonly string[] },
): string {
  return `${madeHead(task)}${taskRest(task)}`;
}

/** The beginning of that JSON, up to the artifacts. */
export function madeHead(task: Pick<TaskText, 'id' | 'contextId' | 'status'> & { readonly artifacts: string }): string {
  return `${taskHead(task)}${task.artifacts === '' ? '' : `,"artifacts":[${task.artifacts}]`}`;
}

/** The rest of that JSON: history and metadata. */
export function taskRest({
  metadata,
  history,
}: {
  readonly metadata: string;
  readonly history: readonly string[];
}): string {
  const said = history.length === 0 ? '' : `,"history":[${history.join(',')}]`;
  return `${said}${metadata === '' ? '' : `,"metadata":${metadata}`}}`;
}

/** The beginning of that JSON, up to the status. */
export function taskHead({ id, contextId, status }: Pick<TaskText, 'id' | 'contextId' | 'status'>): string {
  return `{"id":${JSON.stringify(id)},"contextId":${JSON.stringify(contextId)},"status":${statusJson(status)}`;
}

/** The common head of all statusUpdate events of a task. */
export function statusEventHead(taskId: string, contextId: string): string {
  return `{"statusUpdate":{"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},"status":`;
}

export function statusEventTail(status: StatusText, metadata?: unknown): string {
  return `${statusJson(status)}${metadata === undefined ? '' : `,"metadata":${wellFormedJson(metadata)}`}}}`;
}
