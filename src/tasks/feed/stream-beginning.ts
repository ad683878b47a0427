import type { StreamResponse } from '@parley/protocol/model/event.js';
import { Json } from '@parley/protocol/model/json.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import type { EventName, LoggedEvent } from '../commit/event-log.js';
import type { Snapshot } from '../record/snapshot.js';

/** An event of a stream; its id resumes the stream after this event. */
export interface StreamEvent {
  readonly id: string;
  readonly event: Json<StreamResponse>;
}

/** The first event of a stream, and the cursor for the following ones. */
export interface StreamBeginning {
  readonly first: StreamEvent;
  /** The last event that the reader has received or gets first; its nonce is '' if unknown. */
  readonly after: EventName;
  /** Already read events after it; not all there are. */
  readonly missed?: readonly LoggedEvent[];
  /** The number of the task's latest event when the reader began. */
  readonly latest: number;
  /** No more events for this reader: the stream ends after its first event. */
  readonly over: boolean;
}

/** A stream that begins with the current task. */
export function snapshotBeginning({ seq, nonce, state, task }: Snapshot): StreamBeginning {
  const event = Json.within<StreamResponse>('{"task":', task, '}');
  return { first: { id: eventId({ seq, nonce }), event }, after: { seq, nonce }, latest: seq, over: endsStream(state) };
}

/** `<seq>-<nonce>`: the SSE id of an event. */
export function eventId({ seq, nonce }: Pick<LoggedEvent, 'seq' | 'nonce'>): string {
  return `${String(seq)}-${nonce}`;
}

/** The number and nonce in an SSE id; undefined for an invalid one. */
export function parseEventId(id: string): Pick<LoggedEvent, 'seq' | 'nonce'> | undefined {
  const [, seq, nonce] = /^([1-9]\d{0,14})-([\w-]{1,32})$/.exec(id) ?? [];
  return seq === undefined || nonce === undefined ? undefined : { seq: Number(seq), nonce };
}
