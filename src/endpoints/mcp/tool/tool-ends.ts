import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isInterrupted, isTerminal } from '@parley/protocol/model/task-state.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { McpFault, MCP_CODES } from '@parley/protocol/mcp/mcp-fault.js';
import { elicitationOf, type Question, questionsIn } from '@parley/protocol/mcp/question.js';
import { isServiceFault, taskHead } from '@parley/protocol/mcp/task-view.js';
import { resultOfMessage, resultOfTask, statusText, taskMeta, toolError } from '@parley/protocol/mcp/tool-result.js';
import { McpOptions } from '../call/mcp.options.js';
import type { McpRequest } from '../call/mcp-request.js';
import { openState, type OpenState, sealState } from '../call/request-state.js';
import { Seals } from '../call/seals.js';
import { type Reached, TaskCalls } from '../call/task-calls.js';
import { viewOptions } from '../call/view-options.js';
import { contractOf } from './skill-tool.js';

/** How long a session's stream stays open for the answer of a person, in milliseconds. */
const ANSWER_MS = 10 * 60_000;
/** Consecutive questions that one session call passes on. */
const MAX_QUESTIONS = 32;

/** The call that ends. */
interface EndingCall {
  readonly skill: SkillOptions;
  readonly args: JsonObject;
  readonly request: McpRequest;
}

/** Answers a tool call by the state of its task (MCP-STATE-1, MCP-WORK-1, -2). */
@Injectable()
export class ToolEnds {
  constructor(
    private readonly tasks: TaskCalls,
    private readonly seals: Seals,
    @Inject(McpOptions) private readonly options: McpOptions,
  ) {}

  /** The members of the result. @throws McpFault when the service failed the task */
  async of(call: EndingCall, first: Reached): Promise<object> {
    if ('message' in first) return resultOfMessage(first.message, contractOf(call.skill));
    let { task } = first;
    for (let asked = 0; asked < MAX_QUESTIONS && isInterrupted(task.status.state); asked += 1) {
      const shown = questionsIn(task).filter(({ mode }) => call.request.capabilities[mode]);
      if (shown.length === 0) return this.unanswerable(task);
      if (call.request.isModern) return this.asked(call, { taskId: task.id, questions: shown, given: {} }, shown);
      const next = await this.elicited(call.request, task, shown);
      if (next === undefined) return call.request.reply.handOver() ? {} : this.unanswerable(task);
      task = next;
    }
    return isTerminal(task.status.state) ? this.ended(call, task) : this.working(call, task);
  }

  /** The state held by the client. @throws McpFault for a state of another call */
  reopen({ skill, args, request }: EndingCall, sealed: unknown): OpenState {
    return openState(this.seals, sealed, { owner: request.call.owner, tool: skill.id, args });
  }

  /** Asks the remaining questions, with a state that contains the given answers. */
  askAgain(call: EndingCall, state: OpenState, open: readonly Question[]): object {
    return this.asked(call, state, open);
  }

  /** The question, for the client to answer by repeating its call (SEP-2322). */
  private asked({ skill, args, request }: EndingCall, state: OpenState, open: readonly Question[]): object {
    const stated = { owner: request.call.owner, tool: skill.id, args };
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(open.map((question) => [question.key, elicitationOf(question)])),
      requestState: sealState(this.seals, state, stated),
    };
  }

  /** Asks on the stream of a session, and waits; undefined on a timeout. The answer may reach any replica. */
  private async elicited(request: McpRequest, task: Task, shown: readonly Question[]): Promise<Task | undefined> {
    for (const question of shown) {
      const id = `${task.id}:${question.key}`;
      await request.reply.send(JSON.stringify({ jsonrpc: '2.0', id, ...elicitationOf(question) }));
    }
    const asked = task.status.message?.messageId;
    const isOver = (now: Task): boolean => now.status.message?.messageId !== asked;
    const next = await this.tasks.wait(task.id, request, { waitMs: ANSWER_MS, isOver });
    return isOver(next) ? next : undefined;
  }

  /** A question for a client that cannot show it: its model gets the text and the tools. */
  private unanswerable(task: Task): object {
    const how = this.options.taskTools
      ? `Ask the user, then call parley_task_answer with this task id.`
      : `Answer it by a message to the task at the agent's A2A endpoint.`;
    return toolError(`${statusText(task)}\n\nTask ${task.id} waits for this answer. ${how}`.trim(), taskMeta(task));
  }

  private ended({ skill }: EndingCall, task: Task): object {
    if (isServiceFault(task)) {
      throw new McpFault('InternalError', statusText(task) || 'The tool has failed', MCP_CODES.internal);
    }
    return resultOfTask(task, contractOf(skill));
  }

  /**
   * The task is running: a handle for a client that accepts one, else its name. A disconnected client has canceled it.
   */
  private async working({ request }: EndingCall, task: Task): Promise<object> {
    if (request.isModern && request.reply.isGone) {
      await this.tasks.cancel(task.id, request);
      return {};
    }
    if (request.isModern && request.capabilities.tasks) {
      const known = await this.tasks.readIfAllowed(task, request);
      return { resultType: 'task', ...taskHead(known, viewOptions(this.options)) };
    }
    if (request.reply.handOver()) return {};
    const how = this.options.taskTools ? ' Call parley_task_get with this id later.' : '';
    return toolError(`The task ${task.id} is still working.${how}`, taskMeta(task));
  }
}
