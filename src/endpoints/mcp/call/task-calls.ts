import { Injectable } from '@nestjs/common';
import { OperationExecutor } from '../../../operation/executor/operation-executor.js';
import type { StreamedEvent } from '../../../operation/operation.js';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { foldTask } from '@parley/protocol/model/fold-task.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest, StreamingOperation } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isSettled } from '@parley/protocol/model/task-state.js';
import { missingScope, SCOPE_OF } from '../../../security/auth/scopes.js';
import { answerContent } from '@parley/protocol/mcp/answer.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import { type Question, questionsIn } from '@parley/protocol/mcp/question.js';
import { statusText } from '@parley/protocol/mcp/tool-result.js';
import { answerIdOf } from './message-id.js';
import type { McpRequest } from './mcp-request.js';

/** Characters of events that are kept for one call; of a task that says more, the rest is read as resources. */
const MOST_KEPT = 8 * 1024 * 1024;

/** Messages in which a repeated answer is looked for. */
const MOST_REREAD = 100;

/** Where a call has come to: a task as it is now, or the answer of a direct skill. */
export type Reached = { readonly task: Task } | { readonly message: Message };

type Events = AsyncIterator<StreamedEvent<StreamingOperation>, void, void>;

/** The operations that MCP calls need, each by the same permission, rate and audit as at the other doors. */
@Injectable()
export class TaskCalls {
  constructor(private readonly operations: OperationExecutor) {}

  /** Sends a message and waits until its task settles, at most `waitMs`. With a progress token its progress is passed on. */
  async send(params: SendMessageRequest, request: McpRequest, waitMs: number): Promise<Reached> {
    const call = { ...request.call, waitMs };
    if (request.progressToken !== undefined && waitMs > 0) {
      const events = await this.operations.run(await this.operations.permit('SendStreamingMessage', params, call));
      return this.followed(events, request, { waitMs, isOver: () => true });
    }
    const configuration = { ...params.configuration, returnImmediately: waitMs === 0 };
    const permitted = await this.operations.permit('SendMessage', { ...params, configuration }, call);
    return (await this.operations.run(permitted)).value;
  }

  /** Waits until a task settles in a way that `isOver` takes, at most `waitMs`. */
  async wait(
    id: string,
    request: McpRequest,
    until: { readonly waitMs: number; readonly isOver: (task: Task) => boolean; readonly lastEventId?: string },
  ): Promise<Task> {
    const { lastEventId, ...bounds } = until;
    const { lastEventId: _ofRequest, ...own } = request.call;
    const call = { ...own, ...(lastEventId === undefined ? {} : { lastEventId }) };
    try {
      const permitted = await this.operations.permit('SubscribeToTask', { id }, call);
      await this.followed(await this.operations.run(permitted), request, bounds);
    } catch (error) {
      // A finished task has no events any more.
      if (!(error instanceof A2AError && error.kind === 'UnsupportedOperation')) throw error;
    }
    return this.read(id, request);
  }

  /** The current task, without its messages unless some are asked for. @throws A2AError TaskNotFound */
  async read(id: string, request: Pick<McpRequest, 'call'>, historyLength = 0): Promise<Task> {
    const call = { ...request.call, asksCreation: true };
    const permitted = await this.operations.permit('GetTask', { id, historyLength }, call);
    return (await this.operations.run(permitted)).value;
  }

  /**
   * Lets an answer pass whose questions are open, or were answered just so: sending that again does nothing twice.
   * @throws McpFault for questions that are not open any more
   */
  async requireAnswerable(
    id: string,
    questions: readonly Question[],
    given: ReadonlyMap<string, JsonObject>,
    request: McpRequest,
  ): Promise<void> {
    const task = await this.read(id, request, MOST_REREAD);
    const open = questionsIn(task).map(({ key }) => key);
    if (questions.every(({ key }) => open.includes(key))) return;
    const said = task.history?.find(({ messageId }) => messageId === answerIdOf(questions, request.call));
    const { parts } = answerContent(questions, given);
    if (said === undefined || JSON.stringify(said.parts) !== JSON.stringify(parts)) {
      throw badParams('The question is not open any more');
    }
  }

  /** The current task where the caller may read tasks, else the task as it is known. */
  async readIfAllowed(task: Task, request: McpRequest): Promise<Task> {
    const mayRead = missingScope(request.call.principal, [SCOPE_OF.GetTask]) === undefined;
    return mayRead ? this.read(task.id, request) : task;
  }

  /** Asks a task to end; does not wait for its skill. False for a task that had ended. @throws A2AError TaskNotFound */
  async cancel(id: string, request: Pick<McpRequest, 'call'>): Promise<boolean> {
    const permitted = await this.operations.permit('CancelTask', { id }, { ...request.call, waitMs: 0 });
    try {
      await this.operations.run(permitted);
      return true;
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'TaskNotCancelable') return false;
      throw error;
    }
  }

  /** Reads events until the task settles, passing progress on. Gives the task as the events tell it. */
  private async followed(
    events: Events,
    request: McpRequest,
    { waitMs, isOver }: { readonly waitMs: number; readonly isOver: (task: Task) => boolean },
  ): Promise<Reached> {
    const late = setTimeout(() => void events.return?.(), waitMs);
    const seen = new SeenEvents();
    try {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        const { id = '', event } = next.value;
        const { value } = event;
        if ('message' in value) return value;
        seen.add(value, event.text.length);
        await passProgress(value, id, request);
        if (seen.isSettled && isOver(seen.task)) break;
      }
    } finally {
      clearTimeout(late);
      await events.return?.();
    }
    return { task: seen.task };
  }
}

/** The events of one task, as far as they fit, and the task that they make. */
class SeenEvents {
  private first: Task | undefined;
  private events: StreamResponse[] = [];
  private kept = 0;

  get task(): Task {
    if (this.first === undefined) throw taskNotFound();
    this.first = foldTask(this.first, this.events);
    this.events = [];
    return this.first;
  }

  get isSettled(): boolean {
    const last = this.events.findLast((event) => 'statusUpdate' in event);
    const status = last !== undefined && 'statusUpdate' in last ? last.statusUpdate.status : this.first?.status;
    return status !== undefined && isSettled(status.state);
  }

  add(event: StreamResponse, size: number): void {
    this.kept += size;
    if ('task' in event) [this.first, this.events] = [event.task, []];
    else if (this.kept <= MOST_KEPT || 'statusUpdate' in event) this.events.push(event);
  }
}

async function passProgress(event: StreamResponse, place: string, { progressToken, reply }: McpRequest): Promise<void> {
  if (progressToken === undefined || !('statusUpdate' in event)) return;
  const { status } = event.statusUpdate;
  const words = statusText({ status });
  if (status.state === 'TASK_STATE_WORKING' && words !== '') await reply.progress(progressToken, words, place);
}
