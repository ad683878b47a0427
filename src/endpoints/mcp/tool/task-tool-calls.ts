import { Inject, Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isInterrupted, isTerminal } from '@parley/protocol/model/task-state.js';
import { CallerGate } from '../../../auth/caller.gate.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { taskUnknown } from '@parley/protocol/mcp/mcp-fault.js';
import { questionsIn } from '@parley/protocol/mcp/question.js';
import { resultOfTask, statusText, taskMeta, toolError, type ToolResult } from '@parley/protocol/mcp/tool-result.js';
import { McpOptions } from '../call/mcp.options.js';
import { messageIdOf } from '../call/message-id.js';
import type { McpRequest } from '../call/mcp-request.js';
import { TaskCalls } from '../call/task-calls.js';
import { contractOf } from './skill-tool.js';
import { taskToolOf } from './task-tools.js';
import { ToolList } from './tool-list.js';

/** Answers the tools about tasks: only the caller's own, like every operation. */
@Injectable()
export class TaskToolCalls {
  constructor(
    private readonly list: ToolList,
    private readonly gate: CallerGate,
    private readonly tasks: TaskCalls,
    @Inject(McpOptions) private readonly options: McpOptions,
  ) {}

  /** Whether a call is one of these tools. */
  has({ params }: McpRequest): boolean {
    return this.options.taskTools && typeof params.name === 'string' && taskToolOf(params.name) !== undefined;
  }

  /** The result of one of `TASK_TOOLS`. A foreign task is an unknown one. */
  async answer(request: McpRequest): Promise<ToolResult> {
    const { name } = request.params;
    const tool = typeof name === 'string' ? taskToolOf(name) : undefined;
    const args = isJsonObject(request.params.arguments) ? request.params.arguments : {};
    const { taskId } = args;
    if (tool === undefined || typeof taskId !== 'string') return toolError('taskId: must be the id of a task');
    this.gate.requireScopes(request.call.principal, [tool.scope]);
    try {
      switch (tool.name) {
        case 'parley_task_get':
          return this.shown(await this.tasks.read(taskId, request));
        case 'parley_task_answer':
          return await this.answered(taskId, args, request);
        case 'parley_task_cancel':
          return textResult(
            (await this.tasks.cancel(taskId, request)) ? 'The task is being canceled.' : 'The task had ended.',
          );
      }
    } catch (error) {
      if (error instanceof A2AError && error.kind === 'TaskNotFound') throw taskUnknown();
      throw error;
    }
  }

  private async answered(taskId: string, { text, content }: JsonObject, request: McpRequest): Promise<ToolResult> {
    const parts = isJsonObject(content)
      ? [{ data: content, mediaType: 'application/json' }]
      : typeof text === 'string' && text !== ''
        ? [{ text }]
        : [];
    if (parts.length === 0) return toolError('text: give the answer as text, or as content');
    const { legacy: _name, ...call } = request.call;
    const asked = await this.tasks.read(taskId, request);
    const [question, ...others] = questionsIn(asked);
    const messageId = messageIdOf(request.meta);
    const isOnly = question?.mode === 'form' && question.isListed && others.length === 0;
    const metadata = isOnly ? { metadata: { [QUESTIONS_EXTENSION]: { questionId: question.key } } } : {};
    const message = { parts, ...metadata, messageId, role: 'ROLE_USER' as const, taskId };
    const reached = await this.tasks.send({ message }, { ...request, call }, this.options.waitMs);
    return 'task' in reached ? this.shown(reached.task) : textResult('The answer was taken.');
  }

  private shown(task: Task): ToolResult {
    const { state } = task.status;
    if (isTerminal(state)) return resultOfTask(task, this.contractOf(task));
    const words = statusText(task);
    const what = isInterrupted(state) ? `The task waits for an answer: ${words}` : `The task is working. ${words}`;
    return { ...textResult(what.trim()), _meta: taskMeta(task) };
  }

  /** Structured content is for tools with an output schema, which this one lacks. */
  private contractOf({ metadata }: Task): ReturnType<typeof contractOf> {
    const { skillId } = metadata ?? {};
    const contract = contractOf(typeof skillId === 'string' ? this.list.skillOf(skillId) : undefined);
    return { ...contract, isStructured: false };
  }
}

function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}
