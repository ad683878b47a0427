import { Injectable } from '@nestjs/common';
import type { StreamResponse } from '../../protocol/event.js';
import type { Json } from '../../protocol/json.js';
import type { Task } from '../../protocol/task.js';
import { TaskStore } from '../../task/task.store.js';
import { codecOf } from '../../wire/codecs.js';
import type { PushRecord } from '../config/push-record.js';

/** The body of a delivery, built once and repeated unchanged. */
export interface PushBody {
  readonly text: string;
  readonly contentType: string;
  /** Whether the same text can be had again from the log; else it must be kept for the next attempt. */
  readonly isLogged: boolean;
}

/**
 * Writes an event in the dialect of its webhook: 1.0 sends the stored event (A2A-PN-01), 0.3 and 0.2 the whole task each
 * time (A2A-PN-15), 0.1 its status. Published events are sent as they are (CloudEvents, structured mode). A version that is no longer served is sent as 1.0.
 */
@Injectable()
export class PushBodies {
  constructor(private readonly tasks: TaskStore) {}

  /** Undefined when the task is gone. */
  async bodyOf(record: PushRecord, event: Json<StreamResponse>): Promise<PushBody | undefined> {
    const { taskId, dialect, isOfEvents } = record;
    if (isOfEvents === true) return { text: event.text, contentType: 'application/cloudevents+json', isLogged: true };
    const codec = dialect === '1.0' ? undefined : codecOf(dialect);
    if (codec === undefined) return { text: event.text, contentType: 'application/a2a+json', isLogged: true };
    const snapshot = await this.tasks.read('*', taskId);
    if (snapshot === undefined) return undefined;
    const id = record.clientTaskId ?? taskId;
    const task = codec.encodeResult('GetTask', snapshot.task, { method: 'tasks/get', params: { id } });
    return keptBody(dialect === '0.1' ? statusNote(id, task, event, snapshot.task) : task);
  }
}

/** A body that was made once: sent again as it was. */
export function keptBody(text: string): PushBody {
  return { text, contentType: 'application/json', isLogged: false };
}

/** The body of A2A 0.1 (§9.4 there, and SEED-13): the event and the current task. */
function statusNote(taskId: string, encoded: string, event: Json<StreamResponse>, task: Json<Task>): string {
  const { status } = JSON.parse(encoded) as { status: unknown };
  const eventType = 'artifactUpdate' in event.value ? 'artifact' : 'status';
  return JSON.stringify({ eventType, taskId, status, timestamp: task.value.status.timestamp });
}
