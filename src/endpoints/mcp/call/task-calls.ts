import { Injectable } from '@nestjs/common';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import type { StreamedEvent } from '../../../operations/operation.js';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { foldTask } from '@parley/protocol/model/fold-task.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest, StreamingOperation } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isSettled } from '@parley/protocol/model/task-state.js';
import { missingScope, SCOPE_OF } from '../../../auth/scopes.js';
import { answerContent } from '@parley/protocol/mcp/answer.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import { type Question, questionsIn } from '@parley/protocol/mcp/question.js';
import { statusText } from '@parley/protocol/mcp/tool-result.js';
import { answerIdOf } from './message-id.js';
import type { McpRequest } from './mcp-request.js';

/** Characters of events kept per call; the rest of a longer task is read as resources. */
const MAX_KEPT = 8 * 1024 * 1024;

/** Messages searched for a repeated answer. */
const MAX_REREAD = 100;

/** The state of a call: its present task, or the answer of a direct skill. */
export type Reached = { readonly task: Task } | { readonly message: Message };

type Events = AsyncIterator<StreamedEvent<StreamingOperation>, void, void>;

/** The operations behind MCP calls, with the same permission, rate and audit as in other bindings. */
@Injectable()
export class TaskCalls {
  constructor(private readonly operations: OperationExecutor) {}

  /**
   * Sends a message and waits until its task settles, at most `waitMs`. Passes progress on if there is a progress
   * token.
   */
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

  /** Waits until a task settles in a state that `isOver` accepts, at most `waitMs`. */
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
      // An ended task has no further events.
      if (!(error instanceof A2AError && error.kind === 'UnsupportedOperation')) throw error;
    }
    return this.read(id, request);
  }

  /** The present task, without its messages unless requested. @throws A2AError TaskNotFound */
  async read(id: string, request: Pick<McpRequest, 'call'>, historyLength = 0): Promise<Task> {
    const call = { ...request.call, asksCreation: true };
    const permitted = await this.operations.permit('GetTask', { id, historyLength }, call);
    return (await this.operations.run(permitted)).value;
  }

  /**
   * Accepts an answer to open questions, and the repeat of one: that has no second effect.
   * @throws McpFault for questions that are no longer open
   */
  async requireAnswerable(
    id: string,
    questions: readonly Question[],
    given: ReadonlyMap<string, JsonObject>,
    request: McpRequest,
  ): Promise<void> {
    const task = await this.read(id, request, MAX_REREAD);
    const open = questionsIn(task).map(({ key }) => key);
    if (questions.every(({ key }) => open.includes(key))) return;
    const said = task.history?.find(({ messageId }) => messageId === answerIdOf(questions, request.call));
    const { parts } = answerContent(questions, given);
    if (said === undefined || JSON.stringify(said.parts) !== JSON.stringify(parts)) {
      throw badParams('The question is not open any more');
    }
  }

  /** The present task if the caller may read tasks, else the task as known. */
  async readIfAllowed(task: Task, request: McpRequest): Promise<Task> {
    const mayRead = missingScope(request.call.principal, [SCOPE_OF.GetTask]) === undefined;
    return mayRead ? this.read(task.id, request) : task;
  }

  /**
   * Requests the end of a task without waiting for its skill. False for an ended task. @throws A2AError TaskNotFound
   */
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

  /** Reads events until the task settles, passing progress on. Returns the task built from the events. */
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

/** The events of one task within the bound, and the task built from them. */
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
    else if (this.kept <= MAX_KEPT || 'statusUpdate' in event) this.events.push(event);
  }
}

async function passProgress(event: StreamResponse, place: string, { progressToken, reply }: McpRequest): Promise<void> {
  if (progressToken === undefined || !('statusUpdate' in event)) return;
  const { status } = event.statusUpdate;
  const words = statusText({ status });
  if (status.state === 'TASK_STATE_WORKING' && words !== '') await reply.progress(progressToken, words, place);
}
