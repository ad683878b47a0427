import type { TaskState } from '../protocol/task-state.js';

/** A status as the scripts take it: its members apart, and as the end of a statusUpdate event. */
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

export function statusText(state: TaskState, now: Date, message: unknown): StatusText {
  return {
    state,
    timestamp: now.toISOString(),
    ms: String(now.getTime()).padStart(13, '0'),
    message: message === undefined ? '' : JSON.stringify(message),
  };
}

export function statusJson(status: {
  readonly state: string;
  readonly timestamp: string;
  readonly message: string;
}): string {
  const message = status.message === '' ? '' : `,"message":${status.message}`;
  return `{"state":"${status.state}"${message},"timestamp":"${status.timestamp}"}`;
}

/** A new task as A2A 1.0 JSON; lua/lib/shown.lua writes it in the same form from then on. */
export function newTaskJson({ id, contextId, status, message, metadata }: TaskText): string {
  const ids = `"id":${JSON.stringify(id)},"contextId":${JSON.stringify(contextId)}`;
  const end = metadata === '' ? '' : `,"metadata":${metadata}`;
  return `{${ids},"status":${statusJson(status)},"history":[${message}]${end}}`;
}

/** What every statusUpdate event of a task begins with; stored once, so that a script can write one without the ids. */
export function statusEventHead(taskId: string, contextId: string): string {
  return `{"statusUpdate":{"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},"status":`;
}

export function statusEventTail(status: StatusText, metadata?: unknown): string {
  return `${statusJson(status)}${metadata === undefined ? '' : `,"metadata":${JSON.stringify(metadata)}`}}}`;
}
