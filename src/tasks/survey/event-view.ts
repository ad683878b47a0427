import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Message } from '@parley/protocol/model/message.js';
import { SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';

/** An event without its content. */
export interface EventView {
  readonly seq: number;
  readonly nonce: string;
  readonly kind: 'task' | 'status' | 'artifact' | 'message';
  readonly bytes: number;
  readonly state?: TaskState;
  /** Events of artifacts carry no time: they happened between their neighbours. */
  readonly at?: string;
  /** Whether the status has a message of the agent. */
  readonly hasMessage?: boolean;
  /** The beginning of that message. Content: shown with the right to read tasks. */
  readonly text?: string;
  /** The child whose progress the event reports. */
  readonly child?: { readonly taskId: string; readonly skill: string; readonly state?: TaskState };
  readonly artifactId?: string;
  readonly isAppended?: boolean;
  readonly isLast?: boolean;
}

/** @param bytes size of its stored text */
export function eventView(
  { seq, nonce, bytes }: Pick<EventView, 'seq' | 'nonce' | 'bytes'>,
  event: StreamResponse,
): EventView {
  return { seq, nonce, bytes, ...whatOf(event) };
}

function whatOf(event: StreamResponse): Pick<EventView, 'kind'> & Partial<EventView> {
  if ('statusUpdate' in event) {
    const { status, metadata } = event.statusUpdate;
    const { state, timestamp, message } = status;
    const words = textOf(message);
    return {
      ...{ kind: 'status', state, at: timestamp, hasMessage: message !== undefined },
      ...(words === '' ? {} : { text: words }),
      ...childIn(metadata),
    };
  }
  if ('artifactUpdate' in event) {
    const { artifact, append = false, lastChunk = false } = event.artifactUpdate;
    return { kind: 'artifact', artifactId: artifact.artifactId, isAppended: append, isLast: lastChunk };
  }
  if ('task' in event) return { kind: 'task', state: event.task.status.state, at: event.task.status.timestamp };
  return { kind: 'message' };
}

/** Characters of a status message in a view. */
const MAX_TEXT = 300;

function textOf(message: Message | undefined): string {
  const text = (message?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join(' ');
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…` : text.trim();
}

function childIn(metadata: unknown): Pick<EventView, 'child'> {
  const mark = memberOf(metadata, SUBTASK_EXTENSION);
  const [taskId, skill, state] = ['taskId', 'skillId', 'state'].map((name) => memberOf(mark, name));
  if (typeof taskId !== 'string' || typeof skill !== 'string') return {};
  return { child: { taskId, skill, ...(isTaskState(state) ? { state } : {}) } };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isTaskState(value: unknown): value is TaskState {
  return TASK_STATES.some((state) => state === value);
}
