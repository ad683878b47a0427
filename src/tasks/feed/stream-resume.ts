import { Injectable } from '@nestjs/common';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { Json } from '@parley/protocol/model/json.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import { EventLog, type LoggedEvent } from '../commit/event-log.js';
import type { Snapshot } from '../record/snapshot.js';
import { FeedMetrics } from './feed.metrics.js';
import { eventId, parseEventId, type StreamBeginning } from './stream-beginning.js';

/**
 * Resumes a stream after `Last-Event-ID`, on any replica. The first event is then a thin Task: ids and status as of
 * that event, without artifacts and history, so that nothing is applied twice. Exactly the missed events follow.
 */
@Injectable()
export class StreamResume {
  constructor(
    private readonly log: EventLog,
    private readonly metrics: FeedMetrics,
  ) {}

  /**
   * Undefined if the cursor is unknown, trimmed, or lost in a failover: the stream then begins with the current task.
   */
  async beginning(taskId: string, snapshot: Snapshot, lastEventId: string): Promise<StreamBeginning | undefined> {
    const beginning = await this.found(taskId, snapshot, lastEventId);
    this.metrics.streamResumed(beginning === undefined ? 'snapshot' : 'resumed');
    return beginning;
  }

  private async found(taskId: string, snapshot: Snapshot, lastEventId: string): Promise<StreamBeginning | undefined> {
    const cursor = parseEventId(lastEventId);
    if (cursor === undefined || cursor.seq > snapshot.seq) return undefined;
    // The last received event and the missed ones: one round trip.
    const page = await this.log.page(taskId, cursor.seq);
    const [event, ...missed] = page?.events ?? [];
    if (event?.seq !== cursor.seq || event.nonce !== cursor.nonce) return undefined;
    const status = statusIn(event) ?? (await this.statusBefore(taskId, cursor.seq, snapshot));
    const task: Task = { id: taskId, contextId: snapshot.contextId, status };
    const first = { id: eventId(cursor), event: Json.of<StreamResponse>({ task }) };
    // A reader that has the end, or the question, has nothing to wait for.
    const over = cursor.seq === snapshot.seq && endsStream(snapshot.state);
    return { first, after: cursor, missed, latest: snapshot.seq, over };
  }

  /**
   * The status of the task before event `seq`, which is an artifact event. Searches one page of the log, however long
   * the log is: a task that has written only artifacts for longer was working.
   */
  private async statusBefore(taskId: string, seq: number, { task }: Snapshot): Promise<TaskStatus> {
    const before = seq > 1 ? await this.log.pageBack(taskId, seq - 1) : [];
    const found = before.map(statusIn).find((status) => status !== undefined);
    return found ?? { state: 'TASK_STATE_WORKING', timestamp: task.value.status.timestamp };
  }
}

/** The status set by an event; undefined for an artifact event. */
function statusIn({ event: { value } }: LoggedEvent): TaskStatus | undefined {
  if ('statusUpdate' in value) return value.statusUpdate.status;
  return 'task' in value ? value.task.status : undefined;
}
