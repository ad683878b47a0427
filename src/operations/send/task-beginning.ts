import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isDebug } from '@parley/protocol/extension/context-extension.js';
import type { Json } from '@parley/protocol/model/json.js';
import { meaningOf } from '@parley/protocol/codec/message-meaning.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { type Following, TaskFeeds } from '../../tasks/feed/task-feeds.js';
import type { NewTask } from '../../tasks/record/new-task.js';
import type { CreatedTask, CreateOutcome } from '../../tasks/store/task.store.js';
import type { RunSlot } from '../../runs/local-runs.js';
import type { Call } from '../call.js';
import { closingOnError, inSending, refuseWebhook } from './in-sending.js';
import { InlinePush } from './inline-push.js';
import type { AcceptedMessage } from './message-acceptance.js';
import { RunStarter } from './run-starter.js';
import { type Choice, SkillSelector } from './skill-selector.js';
import { TaskEntry } from './task-entry.js';

/** A task begun by a message. */
export interface CreatedIntake {
  readonly task: Json<Task>;
  readonly nonce: string;
  readonly rejected: boolean;
}

/** An accepted message: its task, with a subscription from before its first event. */
export interface Intake extends AcceptedMessage {
  readonly taskId: string;
  /** Absent when the caller does not wait. */
  readonly following?: Following | undefined;
  readonly created?: CreatedIntake;
}

type BeginningChoice = Exclude<Choice, { readonly answer: unknown }>;

/** Begins the tasks of messages without a task id. */
@Injectable()
export class TaskBeginning {
  constructor(
    private readonly entry: TaskEntry,
    private readonly feeds: TaskFeeds,
    private readonly runs: RunStarter,
    private readonly choice: SkillSelector,
    private readonly push: InlinePush,
  ) {}

  /**
   * Begins a task with the chosen skill, or one that is rejected with a text. Undefined when a message of this id has
   * begun one, or the client has given its name to one.
   * @param waits whether the caller follows the task
   */
  async begin(
    sent: SendMessageRequest,
    choice: BeginningChoice,
    call: Call,
    waits: boolean,
  ): Promise<Intake | undefined> {
    const { request } = choice;
    const { message } = request;
    const { id, digest } = this.entry.identityOf(message, call);
    const isSimulated = isDebug(message);
    if (isSimulated) refuseWebhook(request);
    const push = await this.push.prepare(request, id, call);
    const skill = 'skill' in choice ? choice.skill.options : undefined;
    const slot = skill && this.runs.takeSlot(skill.id);
    // Joined before the task is stored: its run may end before that is acknowledged.
    const following = waits ? this.feeds.followOwn(id) : undefined;
    const replyTo = waits ? this.feeds.replyChannel : undefined;
    const close = (): void => following?.close();
    return closingOnError(close, () =>
      inSending(id, call, async (trace) => {
        const scopes = this.choice.scopesOf(call);
        const requestHash = meaningOf(sent, call.principal);
        const made = { id, digest, requestHash, push, replyTo, trace, scopes, isSimulated };
        const task = taskOf(request, choice, call, made);
        if (call.isLarge === true) await nextLoopTurn();
        const outcome = await this.create(task, call, slot);
        if (outcome.kind === 'created') return begun(outcome, { following, rejected: 'rejection' in choice });
        close();
        return undefined;
      }),
    );
  }

  /** Stores a task. Its run begins at once if there is a free slot and the fair queue is empty. */
  private async create(task: NewTask, call: Call, slot: RunSlot | undefined): Promise<CreateOutcome> {
    try {
      const outcome = await this.entry.create(call.principal, task, slot);
      this.runs.start(outcome, slot);
      return outcome;
    } catch (error) {
      slot?.release();
      throw error;
    }
  }
}

/** The intake of a message that began a task. */
function begun(
  { taskId, seq, nonce, task, run, fence }: CreatedTask,
  { following, rejected }: Pick<Intake, 'following'> & Pick<CreatedIntake, 'rejected'>,
): Intake {
  // The run is elsewhere, and its events arrive over the reply channel.
  if (run === undefined && fence > 0) following?.expectReply();
  return {
    taskId,
    following,
    seq,
    created: { task, nonce, rejected },
    repeated: false,
  };
}

/** A new task from request, caller and the service's own members. */
function taskOf(
  { message, metadata, configuration }: SendMessageRequest,
  choice: BeginningChoice,
  { owner, principal, version, legacy, journal }: Call,
  made: Pick<NewTask, 'id' | 'digest' | 'requestHash' | 'push' | 'replyTo' | 'trace' | 'scopes' | 'isSimulated'>,
): NewTask {
  return {
    id: made.id,
    owner,
    tenant: principal.tenant,
    client: principal.client,
    subject: principal.subject,
    message,
    messageText: JSON.stringify(message),
    digest: made.digest,
    contextId: message.contextId,
    routing: routingOf(choice),
    metadata,
    acceptedOutputModes: configuration?.acceptedOutputModes,
    requestHash: made.requestHash,
    clientTaskId: legacy?.clientTaskId,
    dialect: version,
    trace: made.trace,
    replyTo: made.replyTo,
    push: made.push,
    scopes: made.scopes,
    isSimulated: made.isSimulated,
    journal,
  };
}

function routingOf(choice: BeginningChoice): NewTask['routing'] {
  if ('rejection' in choice) return choice;
  const { id: skillId, maxAttempts, concurrency, version } = choice.skill.options;
  return { skillId, maxAttempts, isLimited: concurrency !== undefined, version };
}
