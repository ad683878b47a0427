import { Injectable } from '@nestjs/common';
import { CONTEXT_EXTENSION, isDebug } from '@parley/protocol/extension/context-extension.js';
import { invalidParams } from '@parley/protocol/model/errors.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import { meaningOf } from '@parley/protocol/codec/message-meaning.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { TaskFeeds } from '../../tasks/feed/task-feeds.js';
import type { BegunTask, NextTurn } from '../../tasks/store/next-turn.js';
import type { Call } from '../call.js';
import type { JudgedIntake } from './answer-intake.js';
import { closingOnError, inSending, refuseWebhook } from './in-sending.js';
import { InlinePush } from './inline-push.js';
import { inTask } from './known-messages.js';
import { acceptedAs } from './message-acceptance.js';
import { RunStarter } from './run-starter.js';
import { SkillSelector } from './skill-selector.js';
import type { Intake } from './task-beginning.js';
import { isAnswer, TaskEntry } from './task-entry.js';

/** Gives messages to the tasks that they name. */
@Injectable()
export class TaskContinuation {
  constructor(
    private readonly entry: TaskEntry,
    private readonly feeds: TaskFeeds,
    private readonly runs: RunStarter,
    private readonly choice: SkillSelector,
    private readonly push: InlinePush,
  ) {}

  /** Gives a message to a task that does not have it. */
  async give(
    sent: SendMessageRequest,
    { taskId, begun }: { readonly taskId: string; readonly begun: BegunTask },
    asked: Call,
  ): Promise<Intake> {
    const { request: trusted, call } = this.choice.trusted(sent, asked);
    if (!begun.asks) this.choice.checkNext(begun.skillId, trusted, call);
    refuseSimulation(begun, trusted);
    const request = this.choice.lent(begun.skillId, trusted, call);
    const message = { ...request.message, taskId };
    const webhook = await this.push.prepareNext(request, taskId, call);
    const following = await this.feeds.follow(taskId);
    return closingOnError(following.close, () =>
      inSending(taskId, call, async (trace) => {
        const turn = { trace, ...asksOf(request, begun), ...webhook };
        const check = (read: JudgedIntake): void => {
          this.choice.checkNext(begun.skillId, request, call, isAnswer(read));
        };
        const hash = meaningOf(inTask(sent, begun), call.principal);
        const resumed = await this.entry.resume(call, message, hash, { begun, turn, check });
        this.runs.wakeFor(resumed.outcome);
        return { taskId, following, ...acceptedAs(resumed, taskId) };
      }),
    );
  }
}

/** A task is simulated from its beginning, or not at all. */
function refuseSimulation({ metadata }: BegunTask, request: SendMessageRequest): void {
  const isSimulated = metadata[SIMULATED] === true;
  if (isSimulated) refuseWebhook(request);
  if (isSimulated || !isDebug(request.message)) return;
  const field = `message.metadata.${CONTEXT_EXTENSION}.debug_mode`;
  throw invalidParams([{ field, description: 'is for the first message of a task: this one is not simulated' }]);
}

/** The changes of a further message to the task's request: its modes replace, its metadata is added. */
function asksOf({ configuration, metadata }: SendMessageRequest, begun: BegunTask): Omit<NextTurn, 'trace'> {
  const { acceptedOutputModes } = configuration ?? {};
  return {
    ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes }),
    ...(metadata === undefined ? {} : { metadata: { ...begun.metadata, ...metadata } }),
  };
}
