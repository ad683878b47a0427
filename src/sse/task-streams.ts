import { Injectable } from '@nestjs/common';
import { Json } from '../protocol/json.js';
import type { StreamResponse } from '../protocol/event.js';
import { endsStream, isSettled, type TaskState } from '../protocol/task-state.js';
import type { LoggedEvent } from '../task/event-log.js';
import { type Snapshot, TaskStore } from '../task/task.store.js';
import { EventsTrimmed } from './follower.js';
import type { Following } from './task-feeds.js';

/** What a reader of a stream gets; the id resumes the stream after this event. */
export interface StreamEvent {
  readonly id: string;
  readonly event: Json<StreamResponse>;
}

/** What a reader is shown first, and the number of the last event contained in that. */
export interface StreamBeginning {
  readonly first: StreamEvent;
  readonly after: number;
  /** Nothing more will come for this reader: the stream ends after its first event. */
  readonly over: boolean;
}

/** Where a reader begins, and with which task. */
export interface StreamStart extends StreamBeginning {
  readonly owner: string;
  readonly taskId: string;
}

/** Reads a task's feed to the point where a stream ends or a blocking call returns. */
@Injectable()
export class TaskStreams {
  constructor(private readonly store: TaskStore) {}

  /** The first event, then every later one in order, until the task's stream ends (A2A-STRM-02, -03, -04, -05). */
  async *read(following: Following, start: StreamStart): AsyncGenerator<StreamEvent, void, void> {
    try {
      yield start.first;
      if (start.over) return;
      yield* this.rest(following, start);
    } finally {
      following.close();
    }
  }

  /** Resolves when the task has become terminal or interrupted after event `after`, or when the follower is ended. */
  async settled(following: Following, start: { owner: string; taskId: string; after: number }): Promise<void> {
    const { follower } = following;
    follower.startAfter(start.after);
    try {
      for await (const { event } of follower.events()) {
        const state = stateOf(event);
        if (state !== undefined && isSettled(state)) return;
      }
    } catch (error) {
      if (!(error instanceof EventsTrimmed)) throw error;
      const now = await this.store.read(start.owner, start.taskId, { historyLength: 0, artifacts: false });
      if (now === undefined || isSettled(now.state)) return;
      await this.settled(following, { ...start, after: now.seq });
    }
  }

  private async *rest(following: Following, start: StreamStart): AsyncGenerator<StreamEvent, void, void> {
    const { follower } = following;
    follower.startAfter(start.after);
    try {
      for await (const logged of follower.events()) {
        yield { id: eventId(logged), event: logged.event };
        const state = stateOf(logged.event);
        if (state !== undefined && endsStream(state)) return;
      }
    } catch (error) {
      if (!(error instanceof EventsTrimmed)) throw error;
      const snapshot = await this.store.read(start.owner, start.taskId);
      if (snapshot !== undefined) yield* this.read(following, { ...start, ...startOf(snapshot) });
    }
  }
}

/** A stream that begins with the task as it stands. */
export function startOf(snapshot: Snapshot): StreamBeginning {
  const event = Json.ofText<StreamResponse>(`{"task":${snapshot.task.text}}`);
  return { first: { id: `${String(snapshot.seq)}-${snapshot.nonce}`, event }, after: snapshot.seq, over: endsStream(snapshot.state) };
}

export function eventId({ seq, nonce }: Pick<LoggedEvent, 'seq' | 'nonce'>): string {
  return `${String(seq)}-${nonce}`;
}

/** The state that an event tells of; artifact events tell of none, and are not parsed for it. */
function stateOf(event: Json<StreamResponse>): TaskState | undefined {
  if (event.text.startsWith('{"artifactUpdate"')) return undefined;
  const { value } = event;
  if ('statusUpdate' in value) return value.statusUpdate.status.state;
  return 'task' in value ? value.task.status.state : undefined;
}
