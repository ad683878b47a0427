import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { answerContent, readAnswers } from '@parley/protocol/mcp/answer.js';
import type { ShownCapabilities } from '@parley/protocol/mcp/client-capabilities.js';
import { badParams, missingCapability } from '@parley/protocol/mcp/mcp-fault.js';
import { questionsIn } from '@parley/protocol/mcp/question.js';
import { TASKS_EXTENSION } from '@parley/protocol/mcp/revision.js';
import { detailedTask } from '@parley/protocol/mcp/task-view.js';
import { McpOptions } from '../call/mcp.options.js';
import type { McpRequest } from '../call/mcp-request.js';
import { answerIdOf } from '../call/message-id.js';
import { TaskCalls } from '../call/task-calls.js';
import { viewOptions } from '../call/view-options.js';
import { contractOf } from './skill-tool.js';
import { ToolList } from './tool-list.js';

/** An update is acknowledged when the next turn has ended, or after this long: most clients poll at once after it. */
const UPDATE_MS = 1_000;

/** The methods of the tasks extension (SEP-2663): the tasks are those of A2A. */
@Injectable()
export class TaskMethods {
  constructor(
    private readonly list: ToolList,
    private readonly tasks: TaskCalls,
    @Inject(McpOptions) private readonly options: McpOptions,
  ) {}

  /** `tasks/get`: the task with its result, error or open questions. */
  async get(request: McpRequest): Promise<object> {
    return this.view(await this.tasks.read(taskIdOf(request), request), request);
  }

  /** `tasks/update`: answers to open questions; all other responses are ignored. */
  async update(request: McpRequest): Promise<object> {
    const id = taskIdOf(request);
    const { inputResponses } = request.params;
    if (!isJsonObject(inputResponses)) throw badParams('"inputResponses" must be an object');
    const task = await this.tasks.read(id, request);
    const questions = questionsIn(task);
    const answers = readAnswers(questions, inputResponses);
    if (answers.kind === 'declined' && this.skillOf(task)?.mcp?.onDecline !== 'turn')
      await this.tasks.cancel(id, request);
    if (answers.kind === 'given' && answers.given.size > 0) {
      const answered = questions.filter(({ key }) => answers.given.has(key));
      const content = answerContent(answered, answers.given);
      const message = {
        ...content,
        messageId: answerIdOf(answered, request.call),
        role: 'ROLE_USER' as const,
        taskId: id,
      };
      await this.tasks.send({ message }, request, UPDATE_MS);
    }
    return {};
  }

  /** `tasks/cancel`: acknowledged at once, also for a task that has ended. */
  async cancel(request: McpRequest): Promise<object> {
    await this.tasks.cancel(taskIdOf(request), request);
    return {};
  }

  /** A task in the form of `tasks/get` and `notifications/tasks`. */
  view(task: Task, { capabilities }: { readonly capabilities: ShownCapabilities }): JsonObject {
    const contract = contractOf(this.skillOf(task));
    return detailedTask(task, viewOptions(this.options), { contract, capabilities });
  }

  private skillOf({ metadata }: Task): ReturnType<ToolList['skillOf']> {
    const skillId = metadata?.skillId;
    return typeof skillId === 'string' ? this.list.skillOf(skillId) : undefined;
  }
}

/** @throws McpFault for a client that has not declared the tasks extension in this request */
export function requireTasks({ capabilities }: Pick<McpRequest, 'capabilities'>): void {
  if (!capabilities.tasks) throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } });
}

function taskIdOf(request: McpRequest): string {
  requireTasks(request);
  const { taskId } = request.params;
  if (typeof taskId !== 'string') throw badParams('"taskId" must be the id of a task');
  return taskId;
}
