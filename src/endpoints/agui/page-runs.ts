import { Injectable } from '@nestjs/common';
import { intentAnswerOf } from '../../operations/intents/intent-answer.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { A2AError, type A2AErrorName, invalidParams, taskNotFound } from '@parley/protocol/model/errors.js';
import { bytesAsJson, type JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import { AuthError } from '../../auth/challenge/auth.error.js';
import type { Sides } from '../../http/binding/exchange.js';
import { requireTextRoom } from '../../http/request/request-body.js';
import type { Call } from '../../operations/call.js';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import type { AguiExchange, ReadRequest } from './agui-exchange.js';
import { codeOf } from './agui-faults.js';
import { AguiSettings } from './agui.settings.js';
import * as frames from './frames.js';
import { ANSWERS_HISTORY, openForms, takesAnswer, turnQuestionId } from '../../operations/open-forms.js';
import { askingTaskOf, interruptsOf, questionMessageId } from './interrupts.js';
import { PageStreams } from './page-streams.js';
import { answersMessage, messageOf, readRunInput, type RunInput } from './run-input.js';
import { RunEncoder } from './run-encoder.js';

/** A message to send, with the parts of the page's that it does not have. */
interface Outgoing {
  readonly message: Message;
  readonly skipped?: readonly string[];
}

/** Errors of an answer whose question is open no longer. */
const GONE: ReadonlySet<A2AErrorName> = new Set<A2AErrorName>([
  'TaskNotFound',
  'UnsupportedOperation',
  'ContentTypeNotSupported',
]);

/** Runs of pages: a message that begins a task, an answer to its questions, or the same run again. */
@Injectable()
export class PageRuns {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly streams: PageStreams,
    private readonly settings: AguiSettings,
  ) {}

  async run(exchange: AguiExchange, read: ReadRequest, sides: Sides): Promise<void> {
    const { call, skill } = read;
    const input = readRunInput(read.body);
    const outgoing = await this.outgoing(input, skill.id, call);
    if ('frames' in outgoing) {
      this.streams.send(exchange, outgoing.frames, sides);
      return;
    }
    const { message, skipped = [] } = outgoing;
    // The history that a page sends is not stored, and may be larger.
    requireTextRoom(bytesAsJson(message), message);
    const configuration = { historyLength: 0 };
    const cursor = RunEncoder.cursorIn(call.lastEventId);
    const asked: Call = { ...call, lastEventId: cursor };
    const permitted = await this.operations.permit('SendStreamingMessage', { message, configuration }, asked);
    const events = await this.operations.run(permitted).catch(async (error: unknown) => {
      if (input.answers.length > 0) exchange.faultText = await this.refused(error, input, call);
      throw error;
    });
    const run = { ...ofRun(input), skipped };
    const base = input.own.isNewOnly ? undefined : input.messages;
    const onDisconnect = input.own.onDisconnect ?? this.settings.onDisconnect;
    this.streams.write(exchange, sides, {
      events,
      encoder: new RunEncoder(run, { base, lastEventId: call.lastEventId }),
      ...(skill.output === undefined ? {} : { ending: (taskId) => this.ending(taskId, call) }),
      ...(onDisconnect === 'cancel' ? { gone: (taskId) => this.cancel(taskId, call) } : {}),
    });
  }

  /** Cancels a task. The state of one that has ended already. @throws A2AError TaskNotFound */
  async cancel(id: string, call: Call): Promise<string> {
    try {
      const permitted = await this.operations.permit('CancelTask', { id }, call);
      return (await this.operations.run(permitted)).value.status.state;
    } catch (error) {
      const { state } = error instanceof A2AError && error.kind === 'TaskNotCancelable' ? error.metadata : {};
      if (state === undefined) throw error;
      return state;
    }
  }

  private async outgoing(
    input: RunInput,
    skillId: string,
    call: Call,
  ): Promise<Outgoing | { readonly frames: readonly frames.Frame[] }> {
    if (input.answers.length > 0) return this.answers(input, call);
    const last = input.messages.findLast(({ role }) => role === 'assistant');
    const asking = last === undefined || input.own.asksNewTask ? undefined : askingTaskOf(last.id);
    const task = asking === undefined ? undefined : await this.found(asking, call, ANSWERS_HISTORY);
    if (task?.contextId !== input.threadId) return messageOf(input, skillId);
    const { status, history = [] } = task;
    const { message, skipped } = messageOf(input, skillId, task.id);
    const stored = history.find(({ messageId }) => messageId === message.messageId);
    if (stored === undefined && status.state !== 'TASK_STATE_INPUT_REQUIRED') return messageOf(input, skillId);
    const forms = openForms(status);
    const [only] = forms;
    // Words answer the question that they follow.
    const isAsked = last?.id === questionMessageId(task.id, { messageId: turnQuestionId(status) });
    if (stored === undefined && (!isAsked || forms.length > 1 || only?.schema !== undefined))
      return { frames: [started(input, task.id), frames.runInterrupted(input, interruptsOf(status, task.id))] };
    const listed = only?.isListed === true ? { questionId: only.id } : undefined;
    const named = stored === undefined ? listed : stored.metadata?.[QUESTIONS_EXTENSION];
    const metadata = { ...message.metadata, ...(named === undefined ? {} : { [QUESTIONS_EXTENSION]: named }) };
    return { message: { ...message, metadata }, skipped };
  }

  private async answers(input: RunInput, call: Call): Promise<Outgoing | { readonly frames: readonly frames.Frame[] }> {
    const [first] = input.answers;
    const taskId = first?.taskId ?? '';
    if (input.answers.some((answer) => answer.taskId !== taskId))
      throw invalidParams([{ field: 'resume', description: 'answers interrupts of one run' }]);
    if (taskId === '') return { frames: [started(input, taskId), gone(taskNotFound().message, undefined)] };
    const given = input.answers.filter(({ isGiven }) => isGiven);
    if (given.length === 0) {
      await this.cancel(taskId, call);
      return { frames: [started(input, taskId), ...frames.runCanceled(input, taskId)] };
    }
    const message = answersMessage(input.answers, input);
    if (given.every(({ isListed }) => isListed)) return { message };
    const task = await this.found(taskId, call, ANSWERS_HISTORY);
    if (task !== undefined && takesAnswer(task, first?.questionId ?? '', message)) return { message };
    return { frames: [started(input, taskId), gone('The question is open no longer', task?.status.state)] };
  }

  /** The frames for a refused answer: its page shows them, and its question stays open or is gone. */
  private async refused(
    error: unknown,
    input: RunInput,
    call: Call,
  ): Promise<ReturnType<PageStreams['textOf']> | undefined> {
    if (!(error instanceof A2AError) || error instanceof AuthError) return undefined;
    const { kind, message, violations, metadata } = error;
    const isUnknown = violations.some(({ field }) => field.startsWith(`message.metadata["${QUESTIONS_EXTENSION}"]`));
    // A task that asks nothing takes messages of the types of its skill only.
    const isGone = isUnknown || GONE.has(kind);
    if (!isGone && kind !== 'PermissionDenied') return undefined;
    const taskId = input.answers[0]?.taskId ?? '';
    const isOwn = isGone && kind !== 'TaskNotFound';
    const state = metadata.state ?? (isOwn ? (await this.found(taskId, call))?.status.state : undefined);
    const failed = isGone ? gone(message, state) : frames.runFailed(message, codeOf(error));
    return this.streams.textOf([started(input, taskId), failed]);
  }

  private async found(id: string, call: Call, historyLength = 0): Promise<Task | undefined> {
    try {
      const permitted = await this.operations.permit('GetTask', { id, historyLength }, call);
      return (await this.operations.run(permitted)).value;
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'TaskNotFound') return undefined;
      throw error;
    }
  }

  /** The result of a completed task, by the rules of an intent's answer. */
  private async ending(taskId: string, call: Call): Promise<JsonObject> {
    const task = await this.found(taskId, call);
    if (task === undefined) throw taskNotFound();
    const answer = intentAnswerOf({ task }, true);
    return answer.kind === 'done' ? { result: answer.result } : {};
  }
}

/** The interrupt was answered, has expired, or never was. @param state of its task, where it is the caller's */
function gone(message: string, state: string | undefined): frames.Frame {
  return frames.runFailed(message, 'interrupt_gone', { state });
}

/** A run as its frames need it: a stream keeps no input. */
function ofRun({ threadId, runId, parentRunId, isOld }: RunInput): frames.Run {
  return { threadId, runId, parentRunId, isOld };
}

function started(input: RunInput, taskId: string): frames.Frame {
  return frames.runStarted(input, { taskId, contextId: input.threadId });
}
