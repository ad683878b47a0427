import { hash } from 'node:crypto';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { CONTEXT_EXTENSION, isDebug } from '../../protocol/context-extension.js';
import { invalidParams, taskNotFound } from '../../protocol/errors.js';
import type { Json } from '../../protocol/json.js';
import { SIMULATED } from '../../protocol/marks.js';
import type { Message } from '../../protocol/message.js';
import type { SendMessageRequest } from '../../protocol/operations.js';
import type { Task } from '../../protocol/task.js';
import { type Following, TaskFeeds } from '../../task/feed/task-feeds.js';
import type { BeginningSlot } from '../../task/begin-arguments.js';
import type { LentSlot } from '../../task/lent-run.js';
import type { NewTask } from '../../task/new-task.js';
import type { BegunTask, NextTurn } from '../../task/next-turn.js';
import type { CreatedTask, CreateOutcome } from '../../task/task.store.js';
import type { RunSlot } from '../../run/local-runs.js';
import { RUN_QUEUE } from '../../run/queue/run.queue.js';
import { carrierIn, carrierOf, type TraceCarrier } from '../../platform/tracing/trace-carrier.js';
import { queueAttributes } from '../../platform/tracing/queue-attributes.js';
import { recordsSpans, traced } from '../../platform/tracing/traced.js';
import type { Call } from '../call.js';
import type { JudgedIntake } from './answer-intake.js';
import { InlinePush } from './inline-push.js';
import { type Choice, SkillSelector } from './skill-selector.js';
import { acceptedAs, messageIdTaken } from './message-acceptance.js';
import type { LocalCaller } from './local-caller.js';
import type { RemoteCaller } from './remote-caller.js';
import { RunStarter } from './run-starter.js';
import { isAnswer, TaskEntry } from './task-entry.js';
import { type Wanted, waitersFor } from './waiters.js';

/** A task as its message has begun it. */
export interface CreatedIntake {
  readonly task: Json<Task>;
  readonly nonce: string;
  readonly rejected: boolean;
  /** The end of the task's JSON, from the history on. */
  readonly rest: string;
  /** Waits for the run, for which this process has a slot. */
  readonly caller: LocalCaller | undefined;
  /** Waits for the end of the run, for which it has none. */
  readonly remote: RemoteCaller | undefined;
}

/** An accepted message: its task, with a subscription from before its first event. */
export interface Intake {
  readonly taskId: string;
  /** Absent where nobody waits, and where one of the callers of `created` does. */
  readonly following?: Following | undefined;
  /** The number of the event after which the answer to this message comes. */
  readonly seq: number;
  readonly created?: CreatedIntake;
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
  async take(request: SendMessageRequest, call: Call, wanted: Wanted = 'events'): Promise<Intake | DirectAnswer> {
    try {
      const taken = await this.takenIn(request, call, wanted);
      if ('taskId' in taken) call.facts.taskId = taken.taskId;
      return taken;
    } finally {
      call.stored?.();
    }
  }

  private async takenIn(sent: SendMessageRequest, asked: Call, wanted: Wanted): Promise<Intake | DirectAnswer> {
    const { request, call } = this.choice.trusted(sent, asked);
    const { taskId } = request.message;
    if (taskId !== undefined && taskId !== '') return this.continue(request, taskId, call);
    const choice = await this.choice.of(request, call);
    if ('answer' in choice) return choice;
    return this.begin(choice.request, choice, call, wanted);
  }

  /** Begins a task with the skill that was chosen for it, or one that is rejected with a text. */
  private async begin(
    request: SendMessageRequest,
    choice: BeginningChoice,
    call: Call,
    wanted: Wanted,
  ): Promise<Intake> {
    const { message } = request;
    const clientTaskId = call.legacy?.clientTaskId;
    const { id, digest } = this.entry.identityOf(message, call);
    const isSimulated = isDebug(message);
    if (isSimulated) refuseWebhook(request);
    const push = await this.push.prepare(request, id, call);
    const skill = 'skill' in choice ? choice.skill.options : undefined;
    const slot = skill && this.runs.takeSlot(skill.id);
    const lent = slot === undefined && skill !== undefined ? this.runs.borrowSlot(skill) : undefined;
    const where = { id, hasRun: skill !== undefined, hasSlot: slot !== undefined };
    const { caller, remote, following, replyTo, close } = waitersFor(this.feeds, wanted, where);
    return closingOnError(close, () =>
      inSending(id, call, async (trace) => {
        const scopes = this.choice.scopesOf(call);
        const task = taskOf(request, choice, call, { id, digest, push, replyTo, trace, caller, scopes, isSimulated });
        if (call.isLarge === true) await nextLoopTurn();
        const outcome = await this.create(task, call, slot ?? lent);
        // Others wait in the fair queue, so the run may begin anywhere.
        if (outcome.kind === 'created' && outcome.run === undefined) caller?.elsewhere();
        if (outcome.kind === 'created')
          return begun(outcome, { following, caller, remote, rejected: 'rejection' in choice });
        close();
        // The same message again: the caller follows the task that it began the first time.
        if (outcome.kind === 'sent') {
          const { taskId } = outcome;
          return { taskId, following: await this.feeds.follow(taskId), seq: 0, repeated: true };
        }
        if (clientTaskId === undefined) throw messageIdTaken();
        // Another call has begun the task of this name a moment ago: this message is its next.
        return this.continue(request, id, call);
      }),
    );
  }

  /** Stores a task. Its run begins at once if there is a free slot and the fair queue is empty. */
  private async create(task: NewTask, call: Call, slot: RunSlot | LentSlot | undefined): Promise<CreateOutcome> {
    try {
      const outcome = await this.entry.create(call.principal, task, slot && beginningIn(slot));
      this.runs.start(outcome, slot);
      return outcome;
    } catch (error) {
      slot?.release();
      throw error;
    }
  }

  /** Gives a message to the task that it names. */
  private async continue(sent: SendMessageRequest, taskId: string, call: Call): Promise<Intake> {
    const begun = await this.entry.begun(call.owner, taskId);
    if (begun === undefined) throw taskNotFound();
    if (!begun.asks) this.choice.checkNext(begun.skillId, sent, call);
    refuseSimulation(begun, sent);
    const request = this.choice.lent(begun.skillId, sent, call);
    const message = { ...request.message, taskId };
    const webhook = await this.push.prepareNext(request, taskId, call);
    const following = await this.feeds.follow(taskId);
    return closingOnError(following.close, () =>
      inSending(taskId, call, async (trace) => {
        const turn = { trace, ...asksOf(request, begun), ...webhook };
        const check = (read: JudgedIntake): void => {
          this.choice.checkNext(begun.skillId, request, call, isAnswer(read));
        };
        const hash = hashOf(JSON.stringify(request.message), request.metadata);
        const resumed = await this.entry.resume(call, message, hash, { begun, turn, check });
        this.runs.wakeFor(resumed.outcome);
        const { seq, repeated } = acceptedAs(resumed, taskId);
        return { taskId, following, seq, repeated };
      }),
    );
  }
}

function beginningIn(slot: RunSlot | LentSlot): BeginningSlot {
  return 'lender' in slot ? { channel: slot.channel, lent: slot } : slot;
}

/** A task is simulated from its beginning, or not at all. */
function refuseSimulation({ metadata }: BegunTask, request: SendMessageRequest): void {
  const isSimulated = metadata[SIMULATED] === true;
  if (isSimulated) refuseWebhook(request);
  if (isSimulated || !isDebug(request.message)) return;
  const field = `message.metadata.${CONTEXT_EXTENSION}.debug_mode`;
  throw invalidParams([{ field, description: 'is for the first message of a task: this one is not simulated' }]);
}

/** Nothing leaves the service in debug mode. */
function refuseWebhook({ configuration }: SendMessageRequest): void {
  if (configuration?.taskPushNotificationConfig === undefined) return;
  const field = 'configuration.taskPushNotificationConfig';
  throw invalidParams([{ field, description: 'is not for a simulated task: nothing leaves the service' }]);
}

/** What is taken in where a message has begun a task. */
function begun(
  { taskId, seq, nonce, task, rest, run, fence }: CreatedTask,
  {
    following,
    caller,
    remote,
    rejected,
  }: Pick<Intake, 'following'> & Pick<CreatedIntake, 'caller' | 'remote' | 'rejected'>,
): Intake {
  // The run is elsewhere, and its events come by the reply channel.
  if (run === undefined && fence > 0) following?.expectReply();
  return { taskId, following, seq, created: { task, rest, nonce, rejected, caller, remote }, repeated: false };
}

/** A new task, of request and caller and what the service adds. Members one by one: V8 merges objects slowly. */
function taskOf(
  { message, metadata, configuration }: SendMessageRequest,
  choice: BeginningChoice,
  { owner, principal, version, legacy, journal }: Call,
  made: Pick<NewTask, 'id' | 'digest' | 'push' | 'replyTo' | 'trace' | 'caller' | 'scopes' | 'isSimulated'>,
): NewTask {
  const messageText = JSON.stringify(message);
  return {
    id: made.id,
    owner,
    tenant: principal.tenant,
    client: principal.client,
    subject: principal.subject,
    message,
    messageText,
    digest: made.digest,
    contextId: message.contextId,
    routing: routingOf(choice),
    metadata,
    acceptedOutputModes: configuration?.acceptedOutputModes,
    requestHash: hashOf(messageText, metadata),
    clientTaskId: legacy?.clientTaskId,
    dialect: version,
    trace: made.trace,
    replyTo: made.replyTo,
    push: made.push,
    caller: made.caller,
    scopes: made.scopes,
    isSimulated: made.isSimulated,
    journal,
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
  const { id: skillId, maxAttempts, concurrency, version } = choice.skill.options;
  return { skillId, maxAttempts, isLimited: concurrency !== undefined, version };
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

async function closingOnError<T>(close: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    close();
    throw error;
  }
}

/** Distinguishes a repeated request from another one that reuses its message id. */
function hashOf(messageText: string, metadata: SendMessageRequest['metadata']): string {
  const ofRequest = metadata === undefined ? 'null' : JSON.stringify(metadata);
  return hash('sha256', `[${messageText},${ofRequest}]`, 'base64url');
}
