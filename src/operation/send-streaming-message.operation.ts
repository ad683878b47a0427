import { Injectable } from '@nestjs/common';
import { taskNotFound } from '../protocol/errors.js';
import { Json } from '../protocol/json.js';
import type { StreamResponse } from '../protocol/event.js';
import type { Message } from '../protocol/message.js';
import type { SendMessageRequest } from '../protocol/operations.js';
import { eventId, snapshotBeginning, type StreamBeginning } from '../task/feed/stream-beginning.js';
import { StreamResume } from '../task/feed/stream-resume.js';
import { TaskStreams } from '../task/feed/task-streams.js';
import { WATCH_MS } from '../task/event-log.js';
import { TaskStore } from '../task/task.store.js';
import type { Call } from './call.js';
import { type Intake, MessageIntake } from './send/message-intake.js';
import type { AnswerOf, Operation, StreamedEvent } from './operation.js';

/** SendStreamingMessage (A2A 1.0 §3.1.2): the task, then all that happens to it. */
@Injectable()
export class SendStreamingMessageOperation implements Operation<'SendStreamingMessage'> {
  constructor(
    private readonly intake: MessageIntake,
    private readonly store: TaskStore,
    private readonly streams: TaskStreams,
    private readonly resume: StreamResume,
  ) {}

  async execute(request: SendMessageRequest, call: Call): Promise<AnswerOf<'SendStreamingMessage'>> {
    const intake = await this.intake.take(request, call);
    if ('answer' in intake) return onlyMessage(intake.answer);
    try {
      const start = createdStart(intake) ?? (await this.presentStart(intake, call));
      return this.streams.read(
        intake.following,
        { owner: call.owner, taskId: intake.taskId, ...start },
        call.presence.signal,
      );
    } catch (error) {
      intake.following.close();
      throw error;
    }
  }

  private async presentStart(intake: Intake, call: Call): Promise<StreamBeginning> {
    const snapshot = await this.store.read(call.owner, intake.taskId, { watchMs: WATCH_MS });
    if (snapshot === undefined) throw taskNotFound();
    const { lastEventId } = call;
    const missed =
      lastEventId === undefined ? undefined : await this.resume.beginning(intake.taskId, snapshot, lastEventId);
    return missed ?? snapshotBeginning(snapshot);
  }
}

function createdStart({ created, seq }: Intake): StreamBeginning | undefined {
  if (created === undefined) return undefined;
  return {
    first: { id: eventId({ seq, nonce: created.nonce }), event: Json.ofText(`{"task":${created.task.text}}`) },
    after: { seq, nonce: created.nonce },
    latest: seq,
    over: created.rejected,
  };
}

/** A stream of one Message (A2A-STRM-02). */
async function* onlyMessage(message: Message): AsyncGenerator<StreamedEvent<'SendStreamingMessage'>, void, void> {
  yield await Promise.resolve({ event: Json.of<StreamResponse>({ message }) });
}
