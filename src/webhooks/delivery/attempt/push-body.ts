import { Injectable } from '@nestjs/common';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { Json } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import { EventLog, type LoggedEvent } from '../../../tasks/commit/event-log.js';
import type { Snapshot } from '../../../tasks/record/snapshot.js';
import { TaskStore } from '../../../tasks/store/task.store.js';
import { codecOf } from '@parley/protocol/versions/codecs.js';
import type { PushRecord } from '../../config/push-record.js';
import { taskAtEvent } from './task-at-event.js';

/** The body of a delivery, built once and repeated unchanged. */
export interface PushBody {
  readonly text: string;
  readonly contentType: string;
  /** Whether the log can reproduce this text; if not, it must be stored for the next attempt. */
  readonly isLogged: boolean;
}

/**
 * Writes an event in the dialect of its webhook: 1.0 the stored event (A2A-PN-01), 0.3 and 0.2 the whole task as of the
 * event (A2A-PN-15), 0.1 the status as of the event. Published events are sent unchanged (CloudEvents, structured
 * mode). A version that is no longer served is sent as 1.0.
 */
@Injectable()
export class PushBodies {
  constructor(
    private readonly tasks: TaskStore,
    private readonly log: EventLog,
  ) {}

  /** Undefined when the task is gone. */
  async bodyOf(record: PushRecord, { seq, event }: LoggedEvent): Promise<PushBody | undefined> {
    const { taskId, dialect, isOfEvents } = record;
    if (isOfEvents === true) return { text: event.text, contentType: 'application/cloudevents+json', isLogged: true };
    const codec = dialect === '1.0' ? undefined : codecOf(dialect);
    if (codec === undefined) return { text: event.text, contentType: 'application/a2a+json', isLogged: true };
    const snapshot = await this.tasks.read('*', taskId);
    if (snapshot === undefined) return undefined;
    const id = record.clientTaskId ?? taskId;
    const then = snapshot.seq === seq ? snapshot.task : Json.of(await this.taskAt(seq, snapshot));
    const task = codec.encodeResult('GetTask', then, { method: 'tasks/get', params: { id } });
    return keptBody(dialect === '0.1' ? statusNote(id, task, event, then) : task);
  }

  /** The task as of an event: a late receiver still gets each state. */
  private async taskAt(seq: number, { task: { value: now } }: Snapshot): Promise<Task> {
    return taskAtEvent(now, await this.log.from(now.id, 1, MAX_FOLDED_EVENTS), seq);
  }
}

/** Events folded for one notification; the state of a later event is that of the last one folded. */
const MAX_FOLDED_EVENTS = 5_000;

/** The stored body of an earlier attempt, sent again unchanged. */
export function keptBody(text: string): PushBody {
  return { text, contentType: 'application/json', isLogged: false };
}

/** The body of A2A 0.1 (§9.4 there, and SEED-13): the event and the current task. */
function statusNote(taskId: string, encoded: string, event: Json<StreamResponse>, task: Json<Task>): string {
  const { status } = JSON.parse(encoded) as { status: unknown };
  const eventType = 'artifactUpdate' in event.value ? 'artifact' : 'status';
  return JSON.stringify({ eventType, taskId, status, timestamp: task.value.status.timestamp });
}
