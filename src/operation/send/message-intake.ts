import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { A2AError, invalidParams, taskNotFound } from '../../protocol/errors.js';
import type { Json } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import type { SendMessageRequest } from '../../protocol/operations.js';
import type { Task } from '../../protocol/task.js';
import { type Following, TaskFeeds } from '../../task/feed/task-feeds.js';
import type { NewTask } from '../../task/new-task.js';
import type { BegunTask, NextTurn } from '../../task/next-turn.js';
import type { ResumeOutcome } from '../../task/resume-outcome.js';
import type { CreateOutcome } from '../../task/task.store.js';
import { RUN_QUEUE } from '../../run/queue/run.queue.js';
import { carrierIn, carrierOf, type TraceCarrier } from '../../platform/tracing/trace-carrier.js';
import { queueAttributes } from '../../platform/tracing/queue-attributes.js';
import { recordsSpans, traced } from '../../platform/tracing/traced.js';
import type { Call } from '../call.js';
import { InlinePush } from './inline-push.js';
import { tooManyWebhooks } from '../../push/config/push-configs.js';
import { type Choice, SkillSelector } from './skill-selector.js';
import { RunStarter } from './run-starter.js';
import { TaskEntry } from './task-entry.js';

/** An accepted message: its task, with a subscription from before its first event. */
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

/** Accepts the messages of SendMessage and SendStreamingMessage: begins a task or continues one. */
@Injectable()
export class MessageIntake {
  constructor(
    private readonly entry: TaskEntry,
    private readonly feeds: TaskFeeds,
    private readonly runs: RunStarter,
    private readonly choice: SkillSelector,
    private readonly push: InlinePush,
  ) {}

  /** Takes a message in, or has it answered at once by a direct skill. */
  async take(request: SendMessageRequest, call: Call, waits = true): Promise<Intake | DirectAnswer> {
    try {
      const taken = await this.takenIn(request, call, waits);
      if ('taskId' in taken) call.facts.taskId = taken.taskId;
      return taken;
    } finally {
      call.stored?.();
    }
  }

  private async takenIn(request: SendMessageRequest, call: Call, waits: boolean): Promise<Intake | DirectAnswer> {
    const { taskId } = request.message;
    if (taskId !== undefined && taskId !== '') return this.continue(request, taskId, call);
    const choice = await this.choice.of(request, call);
    if ('answer' in choice) return choice;
    return this.begin(request, choice, call, waits);
  }

  /** Begins a task with the skill that was chosen for it, or one that is rejected with a text. */
  private async begin(
    request: SendMessageRequest,
    choice: BeginningChoice,
    call: Call,
    waits: boolean,
  ): Promise<Intake> {
    const { message } = request;
    const clientTaskId = call.legacy?.clientTaskId;
    const { id, digest } = this.entry.identityOf(message, call);
    const push = await this.push.prepare(request, id, call);
    const following = this.feeds.followOwn(id);
    return closingOnError(following, () =>
      inSending(id, call, async (trace) => {
        const replyTo = waits ? this.feeds.replyChannel : undefined;
        const task = taskOf(request, choice, call, {
          id,
          digest,
          push,
          replyTo,
          trace,
          scopes: this.choice.scopesOf(call),
        });
        const outcome = await this.create(task, call, following);
        if (outcome.kind === 'conflict') {
          if (clientTaskId === undefined) throw messageIdTaken();
          // Another call has begun the task of this name a moment ago: this message is its next.
          following.close();
          return this.continue(request, id, call);
        }
        if (outcome.kind === 'sent') return this.joined(following, outcome.taskId);
        const { nonce, seq } = outcome;
        const created = { task: outcome.task, nonce, rejected: 'rejection' in choice };
        return { taskId: id, following, seq, created, repeated: false };
      }),
    );
  }

  /** Stores a task. Its run begins in this process at once if there is a free slot and the fair queue is empty. */
  private async create(task: NewTask, call: Call, following: Following): Promise<CreateOutcome> {
    const slot = 'skillId' in task.routing ? this.runs.takeSlot(task.routing.skillId) : undefined;
    try {
      const outcome = await this.entry.create(call.principal, task, slot);
      const isElsewhere = outcome.kind === 'created' && outcome.run === undefined;
      if (isElsewhere && task.replyTo !== undefined) following.expectReply();
      this.runs.start(outcome, slot);
      return outcome;
    } catch (error) {
      slot?.release();
      throw error;
    }
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
        const outcome = await this.entry.resume(
          call,
          message,
          hashOf(JSON.stringify(request.message), request.metadata),
          {
            trace,
            ...asksOf(request, begun),
            ...webhook,
          },
        );
        if (outcome.kind === 'resumed' || outcome.kind === 'woken') this.runs.wake();
        const { seq, repeated } = acceptedAs(outcome, taskId);
        return { taskId, following, seq, repeated };
      }),
    );
  }
}

/** @throws A2AError where the task does not take the message */
function acceptedAs(outcome: ResumeOutcome, taskId: string): Pick<Intake, 'seq' | 'repeated'> {
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
    case 'too-many-messages':
    case 'too-many-bytes':
      throw taskFull(taskId, outcome.kind);
    case 'too-many-webhooks':
      throw tooManyWebhooks();
    case 'resumed':
    case 'woken':
    case 'queued':
    case 'sent':
      return { seq: outcome.seq, repeated: outcome.kind === 'sent' };
  }
}

/** A new task, of request and caller and what the service adds. Members one by one: V8 merges objects slowly. */
function taskOf(
  { message, metadata, configuration }: SendMessageRequest,
  choice: BeginningChoice,
  { owner, principal, version, legacy }: Call,
  {
    id,
    digest,
    push,
    replyTo,
    trace,
    scopes,
  }: Pick<NewTask, 'id' | 'digest' | 'push' | 'replyTo' | 'trace' | 'scopes'>,
): NewTask {
  const messageText = JSON.stringify(message);
  return {
    id,
    owner,
    tenant: principal.tenant,
    client: principal.client,
    subject: principal.subject,
    message,
    messageText,
    digest,
    contextId: message.contextId,
    routing: routingOf(choice),
    metadata,
    acceptedOutputModes: configuration?.acceptedOutputModes,
    requestHash: hashOf(messageText, metadata),
    clientTaskId: legacy?.clientTaskId,
    dialect: version,
    trace,
    replyTo,
    push,
    scopes,
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

function routingOf(choice: BeginningChoice): NewTask['routing'] {
  if ('rejection' in choice) return choice;
  const { id: skillId, maxAttempts, concurrency } = choice.skill.options;
  return { skillId, maxAttempts, isLimited: concurrency !== undefined };
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

/** Distinguishes a repeated request from another one that reuses its message id. */
function hashOf(messageText: string, metadata: SendMessageRequest['metadata']): string {
  const ofRequest = metadata === undefined ? 'null' : JSON.stringify(metadata);
  return hash('sha256', `[${messageText},${ofRequest}]`, 'base64url');
}

const FULL_OF = {
  'too-many-messages': 'messages',
  'too-many-bytes': 'bytes of messages and results',
} as const;

/** A task is bounded, so that reading it and running it is: more belongs into a task of its own. */
function taskFull(taskId: string, why: keyof typeof FULL_OF): A2AError {
  const what = FULL_OF[why];
  const text = `The task has as many ${what} as a task may have: begin another one, which may refer to it`;
  return new A2AError('UnsupportedOperation', text, { metadata: { taskId, limit: why } });
}

function messageIdTaken(): A2AError {
  return invalidParams([{ field: 'message.messageId', description: 'was used before for a different message' }]);
}
