import { Injectable } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { TaskFeeds } from '../../tasks/feed/task-feeds.js';
import type { Call } from '../call.js';
import { KnownMessages, mayBeKnown, withId } from './known-messages.js';
import { SkillSelector } from './skill-selector.js';
import { type Intake, TaskBeginning } from './task-beginning.js';
import { TaskContinuation } from './task-continuation.js';

/** The answer of a direct skill: there is no task. */
export interface DirectAnswer {
  readonly answer: Message;
}

/** Accepts the messages of SendMessage and SendStreamingMessage, each once: begins a task or continues one. */
@Injectable()
export class MessageIntake {
  constructor(
    private readonly known: KnownMessages,
    private readonly choice: SkillSelector,
    private readonly beginning: TaskBeginning,
    private readonly continuation: TaskContinuation,
    private readonly feeds: TaskFeeds,
  ) {}

  /** Accepts a message, or answers it at once by a direct skill. @param waits whether the caller follows the task */
  async take(request: SendMessageRequest, call: Call, waits = true): Promise<Intake | DirectAnswer> {
    try {
      const taken = await this.takenIn(request, call, waits);
      if ('taskId' in taken) call.facts.taskId = taken.taskId;
      return taken;
    } finally {
      call.stored?.();
    }
  }

  private async takenIn(sent: SendMessageRequest, asked: Call, waits: boolean): Promise<Intake | DirectAnswer> {
    const { taskId } = sent.message;
    if (taskId !== undefined && taskId !== '') return this.continue(sent, taskId, asked);
    // A repeated message does not challenge the receiver of its webhook again.
    const hasWebhook = sent.configuration?.taskPushNotificationConfig !== undefined;
    const before = hasWebhook ? await this.known.begunBy(sent, asked) : undefined;
    if (before !== undefined) return this.repeated(before);
    try {
      const { request, call } = this.choice.trusted(sent, asked);
      const choice = await this.choice.of(request, call);
      if ('answer' in choice) return choice;
      const begun = await this.beginning.begin(sent, choice, call, waits);
      if (begun !== undefined) return begun;
    } catch (error) {
      const known = mayBeKnown(error) ? await this.known.begunBy(sent, asked) : undefined;
      if (known === undefined) throw error;
      return this.repeated(known);
    }
    const known = await this.known.begunBy(sent, asked);
    // A concurrent call has begun the task of this name: this message is its next.
    return known === undefined ? this.continue(sent, this.known.taskOf(sent, asked), asked) : this.repeated(known);
  }

  /** Gives a message to the task that it names, unless the task has it. */
  private async continue(sent: SendMessageRequest, taskId: string, asked: Call): Promise<Intake> {
    const begun = await this.known.begun(taskId, sent, asked);
    if (begun === undefined) throw taskNotFound();
    if (await this.known.isTaken(taskId, begun, sent, asked)) return this.repeated(taskId);
    try {
      return await this.continuation.give(withId(sent, begun.known), { taskId, begun }, asked);
    } catch (error) {
      // The same message, sent concurrently, may have been accepted meanwhile.
      const now = mayBeKnown(error) ? await this.known.begun(taskId, sent, asked) : undefined;
      if (now === undefined || !(await this.known.isTaken(taskId, now, sent, asked))) throw error;
      return this.repeated(taskId);
    }
  }

  /** A repeated message: its caller follows the task that accepted the first one. */
  private async repeated(taskId: string): Promise<Intake> {
    return { taskId, following: await this.feeds.follow(taskId), seq: 0, repeated: true };
  }
}
