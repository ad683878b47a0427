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

/** The parts of a stored task, each JSON text as it was written. */
export interface TaskText {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
  readonly timestamp: string;
  readonly message: string;
  /** JSON object, or ''. */
  readonly metadata: string;
  readonly history: readonly string[];
  /** Undefined: left out of the answer altogether (A2A-LIST-07). */
  readonly artifacts: readonly string[] | undefined;
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

/** A task as A2A 1.0 JSON, spliced from stored texts: nothing is parsed. Empty history and artifacts are left out. */
export function taskJson(task: TaskText): string {
  const artifacts =
    task.artifacts === undefined || task.artifacts.length === 0 ? '' : `,"artifacts":[${task.artifacts.join(',')}]`;
  const history = task.history.length === 0 ? '' : `,"history":[${task.history.join(',')}]`;
  const metadata = task.metadata === '' ? '' : `,"metadata":${task.metadata}`;
  const ids = `"id":${JSON.stringify(task.id)},"contextId":${JSON.stringify(task.contextId)}`;
  return `{${ids},"status":${statusJson(task)}${artifacts}${history}${metadata}}`;
}

/** What every statusUpdate event of a task begins with; stored once, so that a script can write one without the ids. */
export function statusEventHead(taskId: string, contextId: string): string {
  return `{"statusUpdate":{"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},"status":`;
}

export function statusEventTail(status: StatusText, metadata?: unknown): string {
  return `${statusJson(status)}${metadata === undefined ? '' : `,"metadata":${JSON.stringify(metadata)}`}}}`;
}
