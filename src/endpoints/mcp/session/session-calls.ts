import { Injectable } from '@nestjs/common';
import { LegacyTasks } from '../../../operations/executor/legacy-tasks.js';
import type { Call } from '../../../operations/call.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isSettled } from '@parley/protocol/model/task-state.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { answerContent, readAnswers } from '@parley/protocol/mcp/answer.js';
import { questionsIn } from '@parley/protocol/mcp/question.js';
import { answerIdOf } from '../call/message-id.js';
import type { McpRequest } from '../call/mcp-request.js';
import { TaskCalls } from '../call/task-calls.js';
import { ToolEnds } from '../tool/tool-ends.js';
import { ToolList } from '../tool/tool-list.js';
import { Sessions } from './sessions.js';

/** How long a resumed stream waits for its task, in milliseconds. */
const RESUMED_MS = 10 * 60_000;

/** Session features of the older revisions besides requests: cancellation, answers to our requests, cut streams. */
@Injectable()
export class SessionCalls {
  constructor(
    private readonly legacy: LegacyTasks,
    private readonly tasks: TaskCalls,
    private readonly list: ToolList,
    private readonly ends: ToolEnds,
    private readonly sessions: Sessions,
  ) {}

  /** Begins a session as requested by `initialize`. */
  begin({ protocolVersion, capabilities }: JsonObject, { owner }: Pick<Call, 'owner'>): ReturnType<Sessions['begin']> {
    return this.sessions.begin(protocolVersion, isJsonObject(capabilities) ? capabilities : {}, owner);
  }

  /** `notifications/cancelled`: cancels the task of that request, from any replica. */
  async cancel(name: string, call: Call): Promise<void> {
    await ifPresent(this.tasks.cancel(this.legacy.idOf(call.owner, name), { call }));
  }

  /** The client's response to an elicitation: `<task id>:<key>`. Reaches the task from any replica (MCP-SESSION-3). */
  async answer(id: string, result: JsonObject | undefined, request: McpRequest): Promise<void> {
    const [, taskId, key] = /^([\w-]{1,64}):(.{1,256})$/.exec(id) ?? [];
    if (taskId === undefined || key === undefined || result === undefined) return;
    const task = await ifPresent(this.tasks.read(taskId, request));
    const questions = task === undefined ? [] : questionsIn(task).filter((one) => one.key === key);
    const answers = readAnswers(questions, { [key]: result });
    if (answers.kind === 'declined') await this.tasks.cancel(taskId, request);
    if (answers.kind !== 'given' || answers.given.size === 0) return;
    if (questions.every(({ mode }) => mode === 'url')) return;
    const messageId = answerIdOf(questions, request.call);
    const message = { ...answerContent(questions, answers.given), messageId, taskId };
    await this.tasks.send({ message: { ...message, role: 'ROLE_USER' } }, request, 0);
  }

  /**
   * Resumes a cut stream: the missed progress, then the response to its request (MCP-SESSION-2). Undefined for a
   * missing task. @param place the last event that the client received
   */
  async resume(name: string, place: string, request: McpRequest): Promise<object | undefined> {
    const id = this.legacy.idOf(request.call.owner, name);
    const task = await ifPresent(this.settled(id, place, request));
    const skillId = task?.metadata?.skillId;
    const skill = typeof skillId === 'string' ? this.list.skillOf(skillId) : undefined;
    return task === undefined || skill === undefined ? undefined : this.ends.of({ skill, args: {}, request }, { task });
  }

  private async settled(id: string, place: string, request: McpRequest): Promise<Task> {
    const until = { waitMs: RESUMED_MS, isOver: () => true };
    const lastEventId = place === '' ? {} : { lastEventId: place };
    const task = await this.tasks.wait(id, request, { ...until, ...lastEventId });
    // A missed question that was answered meanwhile is not the task's present state.
    return isSettled(task.status.state) ? task : this.tasks.wait(id, request, until);
  }
}

/** Undefined for a missing task. */
async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof A2AError && error.kind === 'TaskNotFound') return undefined;
    throw error;
  }
}
