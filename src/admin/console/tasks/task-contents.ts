import { Injectable } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import type { Principal } from '../../../auth/principal.js';
import { type AnswerReader, AnswerRooms } from '../../../http/answer/answer-rooms.js';
import { EventLog } from '../../../tasks/commit/event-log.js';
import type { TaskFacts } from '../../../tasks/lists/task-inspector.js';
import { TaskStore } from '../../../tasks/store/task.store.js';
import { TaskWorkReader } from '../../../tasks/store/task-work.js';

/** A stored event; `text` is absent when it exceeds the limit of a page. */
export interface RawEvent {
  readonly seq: number;
  readonly nonce: string;
  readonly bytes: number;
  readonly text?: string;
}

/** Beyond this size a task is shown without artifacts, and with its latest messages only. */
const MAX_BYTES = 4 * 1_048_576;
const MAX_MESSAGES = 20;
/** For a larger event only its size is shown. */
const MAX_EVENT_BYTES = 262_144;

/** Messages, results and events of tasks, bounded. Does not check tenants: its callers do. */
@Injectable()
export class TaskContents {
  constructor(
    private readonly tasks: TaskStore,
    private readonly work: TaskWorkReader,
    private readonly log: EventLog,
    private readonly rooms: AnswerRooms,
  ) {}

  /** `{"trimmed":…,"task":…}`, with the stored text unchanged. @throws A2AError TaskNotFound */
  async of({ owner, id }: Pick<TaskFacts, 'owner' | 'id'>, caller: Principal, reader: AnswerReader): Promise<string> {
    const room = this.rooms.of(caller, reader, 'made');
    const { bytes } = await this.work.of(id);
    const isLarge = bytes.messages + bytes.results > MAX_BYTES;
    const shown = isLarge
      ? { historyLength: MAX_MESSAGES, artifacts: false, room, isPart: true }
      : { room, isPart: true };
    const snapshot = await this.tasks.read(owner, id, shown);
    if (snapshot === undefined) throw taskNotFound();
    return `{"trimmed":${String(isLarge)},"task":${snapshot.task.text}}`;
  }

  async events(id: string, from: number, limit: number): Promise<{ readonly events: readonly RawEvent[] }> {
    const page = await this.log.page(id, from, Math.min(limit, 100));
    const events = (page?.events ?? []).map(({ seq, nonce, event: { text } }) => {
      const bytes = Buffer.byteLength(text);
      return { seq, nonce, bytes, ...(bytes > MAX_EVENT_BYTES ? {} : { text }) };
    });
    return { events };
  }
}
