import type { StreamResponse } from '../protocol/event.js';
import type { TaskState } from '../protocol/task-state.js';

/** An event without its content. */
export interface EventView {
  readonly seq: number;
  readonly nonce: string;
  readonly kind: 'task' | 'status' | 'artifact' | 'message';
  readonly bytes: number;
  readonly state?: TaskState;
  /** Events of artifacts bear no time: they happened between those before and behind them. */
  readonly at?: string;
  /** Whether the status has words of the agent. */
  readonly hasMessage?: boolean;
  readonly artifactId?: string;
  readonly isAppended?: boolean;
  readonly isLast?: boolean;
}

/** @param bytes of its text as it is stored */
export function eventView(
  { seq, nonce, bytes }: Pick<EventView, 'seq' | 'nonce' | 'bytes'>,
  event: StreamResponse,
): EventView {
  return { seq, nonce, bytes, ...whatOf(event) };
}

function whatOf(event: StreamResponse): Pick<EventView, 'kind'> & Partial<EventView> {
  if ('statusUpdate' in event) {
    const { state, timestamp, message } = event.statusUpdate.status;
    return { kind: 'status', state, at: timestamp, hasMessage: message !== undefined };
  }
  if ('artifactUpdate' in event) {
    const { artifact, append = false, lastChunk = false } = event.artifactUpdate;
    return { kind: 'artifact', artifactId: artifact.artifactId, isAppended: append, isLast: lastChunk };
  }
  if ('task' in event) return { kind: 'task', state: event.task.status.state, at: event.task.status.timestamp };
  return { kind: 'message' };
}
