import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { A2AError, invalidParams, taskNotFound } from '../../protocol/errors.js';
import type { Json } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import type { SendMessageRequest } from '../../protocol/operations.js';
import type { Task } from '../../protocol/task.js';
import { type Following, TaskFeeds } from '../../task/feed/task-feeds.js';
import type { NewTask } from '../../task/new-task.js';
import type { BegunTask, NextTurn } from '../../task/next-turn.js';
import { RUN_QUEUE, RunQueue, type WantedRun } from '../../run/queue/run.queue.js';
import { carrierIn, carrierOf, type TraceCarrier } from '../../platform/tracing/trace-carrier.js';
import { queueAttributes } from '../../platform/tracing/queue-attributes.js';
import { recordsSpans, traced } from '../../platform/tracing/traced.js';
import type { Call } from '../call.js';
import { InlinePush } from './inline-push.js';
import { tooManyWebhooks } from '../../push/config/push-configs.js';
import { type Choice, SkillSelector } from './skill-selector.js';
import { TaskEntry } from './task-entry.js';

/** A message that was taken in: its task, followed from before anything could have happened to it. */
export interface Intake {
  readonly taskId: string;
  readonly following: Following;
  /** The number of the event after which the answer to this message comes. */
  readonly seq: number;
  /** The task as it was created; absent when the message belongs to a task that was there before. */
  readonly created?: { readonly task: Json<Task>; readonly nonce: string; readonly rejected: boolean };
  /** The very same message had been taken in before: its task may have ended long since. */
  readonly repeated: boolean;
}

type BeginningChoice = Exclude<Choice, { readonly answer: unknown }>;

/** The answer of a direct skill: there is no task. */
export interface DirectAnswer {
  readonly answer: Message;
}

/** Takes in the messages of SendMessage and SendStreamingMessage: begins a task or continues one. */
@Injectable()
export class MessageIntake {
  private readonly log = new Logger(MessageIntake.name);

  constructor(
    private readonly entry: TaskEntry,
    private readonly feeds: TaskFeeds,
    private readonly queue: RunQueue,
    private readonly choice: SkillSelector,
    private readonly push: InlinePush,
  ) {}

  /** Takes a message in, or has it answered at once by a direct skill. */
  async take(request: SendMessageRequest, call: Call): Promise<Intake | DirectAnswer> {
    const taken = await this.takenIn(request, call);
    if ('taskId' in taken) call.facts.taskId = taken.taskId;
    return taken;
  }

  private async takenIn(request: SendMessageRequest, call: Call): Promise<Intake | DirectAnswer> {
    const { taskId } = request.message;
    if (taskId !== undefined && taskId !== '') return this.continue(request, taskId, call);
    const choice = await this.choice.of(request, call);
    if ('answer' in choice) return choice;
    return this.begin(request, choice, call);
  }

  /** Begins a task with the skill that was chosen for it, or one that is rejected with a text. */
  private async begin(request: SendMessageRequest, choice: BeginningChoice, call: Call): Promise<Intake> {
    const { message } = request;
    const clientTaskId = call.legacy?.clientTaskId;
    const id = this.entry.idFor(message, call);
    const push = await this.push.prepare(request, id, call);
    const following = this.feeds.followOwn(id);
    return closingOnError(following, () =>
      inSending(id, call, async (trace) => {
        const { replyChannel: replyTo } = this.feeds;
        const webhook = push === undefined ? {} : { push };
        const outcome = await this.entry.create(call.principal, {
          id,
          ...taskOf(request, choice, call),
          ...webhook,
          replyTo,
          trace,
        });
        if (outcome.kind === 'conflict') {
          if (clientTaskId === undefined) throw messageIdTaken();
          // Another call has begun the task of this name a moment ago: this message is its next.
          following.close();
          return this.continue(request, id, call);
        }
        if (outcome.kind === 'sent') return this.joined(following, outcome.taskId);
        const { task, nonce, seq, fence, place } = outcome;
        if (fence > 0) await this.queueRun({ taskId: id, fence, place });
        const created = { task, nonce, rejected: 'rejection' in choice };
        return { taskId: id, following, seq, created, repeated: false };
      }),
    );
  }

  /** The same message again: the caller follows the task that it began the first time. */
  private async joined(unused: Following, taskId: string): Promise<Intake> {
    unused.close();
    return { taskId, following: await this.feeds.follow(taskId), seq: 0, repeated: true };
  }

  /** Gives a message to the task that it names. */
  private async continue(request: SendMessageRequest, taskId: string, call: Call): Promise<Intake> {
    const message = { ...request.message, taskId };
    const begun = await this.entry.begun(call.owner, taskId);
    if (begun === undefined) throw taskNotFound();
    this.choice.checkNext(begun.skillId, request, call);
    const webhook = await this.push.prepareNext(request, taskId, call);
    const following = await this.feeds.follow(taskId);
    return closingOnError(following, () =>
      inSending(taskId, call, async (trace) => {
        const outcome = await this.entry.resume(call, message, hashOf(request), {
          trace,
          ...asksOf(request, begun),
          ...webhook,
        });
        switch (outcome.kind) {
          case 'not-found':
            throw taskNotFound();
          case 'terminal':
            throw new A2AError('UnsupportedOperation', 'The task is finished: it takes no more messages', {
              metadata: { taskId, state: outcome.state },
            });
          case 'context-mismatch':
            throw invalidParams([{ field: 'message.contextId', description: 'is not the context of the task' }]);
          case 'conflict':
            throw messageIdTaken();
          case 'too-many-webhooks':
            throw tooManyWebhooks();
          case 'resumed':
            await this.queueRun({ taskId, fence: outcome.fence, place: outcome.place });
            return { taskId, following, seq: outcome.seq, repeated: false };
          case 'queued':
          case 'sent':
            return { taskId, following, seq: outcome.seq, repeated: outcome.kind === 'sent' };
        }
      }),
    );
  }

  /** The task is stored and wants its run: where the job cannot be added now, the sweep adds it a moment later. */
  private async queueRun({ place, ...job }: WantedRun): Promise<void> {
    try {
      await this.queue.add(job, { place });
    } catch (error) {
      this.log.warn({
        event: 'run.not-queued',
        ...job,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/** The parts of a new task that come from request and caller. */
function taskOf(
  request: SendMessageRequest,
  choice: BeginningChoice,
  { owner, principal, version: dialect, legacy }: Call,
): Omit<NewTask, 'id'> {
  const { message, metadata, configuration: { acceptedOutputModes } = {} } = request;
  const { tenant, client, subject } = principal;
  const { clientTaskId } = legacy ?? {};
  return {
    ...{ message, fate: fateOf(choice), requestHash: hashOf(request), owner, tenant, client, dialect },
    ...(subject === undefined ? {} : { subject }),
    ...(message.contextId === undefined ? {} : { contextId: message.contextId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes }),
    ...(clientTaskId === undefined ? {} : { clientTaskId }),
  };
}

/** Changes that a further message makes to the task's request: its modes replace, its metadata is added. */
function asksOf({ configuration, metadata }: SendMessageRequest, begun: BegunTask): Omit<NextTurn, 'trace'> {
  const { acceptedOutputModes } = configuration ?? {};
  return {
    ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes }),
    ...(metadata === undefined ? {} : { metadata: { ...begun.metadata, ...metadata } }),
  };
}

function fateOf(choice: BeginningChoice): NewTask['fate'] {
  if ('rejection' in choice) return choice;
  const { id: skillId, maxAttempts } = choice.skill.options;
  return { skillId, ...(maxAttempts === undefined ? {} : { maxAttempts }) };
}

/**
 * One producer span covers the commit of the run request and the job that wakes a worker (OpenTelemetry's messaging
 * conventions). The run continues this trace, in any process and at any time.
 */
function inSending<T>(taskId: string, call: Call, work: (trace: TraceCarrier) => Promise<T>): Promise<T> {
  if (!recordsSpans()) return work(carrierIn(call.trace));
  const attributes = { ...queueAttributes(RUN_QUEUE, 'send'), 'a2a.task.id': taskId };
  const options = { kind: SpanKind.PRODUCER, parent: call.trace, attributes };
  return traced(
    `send ${RUN_QUEUE}`,
    () => options,
    (span) => work(carrierOf(span)),
  );
}

async function closingOnError<T>(following: Following, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    following.close();
    throw error;
  }
}

/** Tells a repeated request from another one that reuses its message id. */
function hashOf(request: SendMessageRequest): string {
  return hash('sha256', JSON.stringify([request.message, request.metadata]), 'base64url');
}

function messageIdTaken(): A2AError {
  return invalidParams([{ field: 'message.messageId', description: 'was used before for a different message' }]);
}
