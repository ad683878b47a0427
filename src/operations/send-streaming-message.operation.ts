import { Injectable } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import { Json } from '@parley/protocol/model/json.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { eventId, snapshotBeginning, type StreamBeginning } from '../tasks/feed/stream-beginning.js';
import { StreamResume } from '../tasks/feed/stream-resume.js';
import { TaskFeeds } from '../tasks/feed/task-feeds.js';
import { TaskStreams } from '../tasks/feed/task-streams.js';
import { WATCH_MS } from '../tasks/commit/event-log.js';
import { TaskStore } from '../tasks/store/task.store.js';
import type { Call } from './call.js';
import { MessageIntake } from './send/message-intake.js';
import type { CreatedIntake, Intake } from './send/task-beginning.js';
import type { AnswerOf, Operation, StreamedEvent } from './operation.js';

/** SendStreamingMessage (A2A 1.0 §3.1.2): the task, then its events. */
@Injectable()
export class SendStreamingMessageOperation implements Operation<'SendStreamingMessage'> {
  constructor(
    private readonly intake: MessageIntake,
    private readonly store: TaskStore,
    private readonly feeds: TaskFeeds,
    private readonly streams: TaskStreams,
    private readonly resume: StreamResume,
  ) {}

  async execute(request: SendMessageRequest, call: Call): Promise<AnswerOf<'SendStreamingMessage'>> {
    const intake = await this.intake.take(request, call);
    if ('answer' in intake) return onlyMessage(intake.answer);
    const { created, taskId } = intake;
    const { historyLength } = request.configuration ?? {};
    const began = created && createdStart(created, intake.seq, historyLength);
    const following = intake.following ?? (await this.feeds.follow(taskId));
    try {
      const start = began ?? (await this.presentStart(intake, call, historyLength));
      return this.streams.read(following, { owner: call.owner, taskId, historyLength, ...start }, call.presence.signal);
    } catch (error) {
      following.close();
      throw error;
    }
  }

  private async presentStart(intake: Intake, call: Call, historyLength: number | undefined): Promise<StreamBeginning> {
    const read = { historyLength, watchMs: WATCH_MS, room: call.room, isPart: true };
    const snapshot = await this.store.read(call.owner, intake.taskId, read);
    if (snapshot === undefined) throw taskNotFound();
    const { lastEventId } = call;
    const missed =
      lastEventId === undefined ? undefined : await this.resume.beginning(intake.taskId, snapshot, lastEventId);
    return missed ?? snapshotBeginning(snapshot);
  }
}

/** The history of a new task is the message that began it. */
function createdStart(
  { task, nonce, rejected }: CreatedIntake,
  seq: number,
  historyLength: number | undefined,
): StreamBeginning {
  const { text } = historyLength === 0 ? Json.of({ ...task.value, history: undefined }) : task;
  return {
    first: { id: eventId({ seq, nonce }), event: Json.ofText(`{"task":${text}}`) },
    after: { seq, nonce },
    latest: seq,
    over: rejected,
  };
}

/** A stream of one Message (A2A-STRM-02). */
async function* onlyMessage(message: Message): AsyncGenerator<StreamedEvent<'SendStreamingMessage'>, void, void> {
  yield await Promise.resolve({ event: Json.of<StreamResponse>({ message }) });
}
