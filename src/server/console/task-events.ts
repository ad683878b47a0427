import type { StreamResponse } from '../../protocol/event.js';
import type { TaskState } from '../../protocol/task-state.js';
import type { EventLog, LoggedEvent } from '../../task/event-log.js';

/** Bytes that are read from a log for one page of events; a page ends early where they are large. */
const MOST_BYTES = 2 * 1_048_576;

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

/** Events from a number on, at most `limit`; fewer where they are large, and at least one if there is one. */
export async function eventViews(
  log: Pick<EventLog, 'page'>,
  id: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly EventView[]> {
  const views: EventView[] = [];
  let bytes = 0;
  for (let next = from; views.length < limit && bytes < MOST_BYTES;) {
    const page = await log.page(id, next, Math.min(100, limit - views.length));
    const last = page?.events.at(-1);
    if (page === undefined || last === undefined) break;
    views.push(...page.events.map(eventView));
    bytes = views.reduce((sum, view) => sum + view.bytes, 0);
    next = last.seq + 1;
  }
  return views;
}

function eventView({ seq, nonce, event }: LoggedEvent): EventView {
  return { seq, nonce, bytes: Buffer.byteLength(event.text), ...whatOf(event.value) };
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
