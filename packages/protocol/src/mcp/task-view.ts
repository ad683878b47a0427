import type { JsonObject } from '../model/json.js';
import { CREATED_AT, SERVICE_FAULT } from '../extension/marks.js';
import type { Task } from '../model/task.js';
import { MCP_CODES } from './mcp-fault.js';
import type { ShownCapabilities } from './client-capabilities.js';
import { elicitationOf, questionsIn } from './question.js';
import { type ResultContract, resultOfTask, statusText } from './tool-result.js';

/** A status of the tasks extension. */
export type McpTaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

/** How tasks are shown. */
export interface TaskViewOptions {
  /** Milliseconds from its creation for which a task can surely be read. */
  readonly ttlMs: number;
  /** Milliseconds between two polls. */
  readonly pollIntervalMs: number;
}

/** The status of a task (MCP-STATE-1). A refusal or failure of the skill itself is a completed task with an error result. */
export function mcpStatusOf(task: Task): McpTaskStatus {
  switch (task.status.state) {
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
      return 'working';
    case 'TASK_STATE_INPUT_REQUIRED':
    case 'TASK_STATE_AUTH_REQUIRED':
      return 'input_required';
    case 'TASK_STATE_COMPLETED':
    case 'TASK_STATE_REJECTED':
      return 'completed';
    case 'TASK_STATE_FAILED':
      return isServiceFault(task) ? 'failed' : 'completed';
    case 'TASK_STATE_CANCELED':
      return 'cancelled';
  }
}

/** Whether the service itself has failed a task: its skill broke, or could not be run. */
export function isServiceFault({ status }: Task): boolean {
  return status.state === 'TASK_STATE_FAILED' && status.message?.metadata?.[SERVICE_FAULT] === true;
}

/** The members that every view of a task has (`Task` of SEP-2663). */
export function taskHead(task: Task, { ttlMs, pollIntervalMs }: TaskViewOptions): JsonObject {
  const { id, status, metadata } = task;
  const text = statusText(task);
  const createdAt = metadata?.[CREATED_AT];
  return {
    taskId: id,
    status: mcpStatusOf(task),
    ...(text === '' ? {} : { statusMessage: text }),
    createdAt: typeof createdAt === 'string' ? createdAt : status.timestamp,
    lastUpdatedAt: status.timestamp,
    ttlMs,
    pollIntervalMs,
  };
}

/** The whole view of a task (`DetailedTask`): with its result, its error, or its questions. */
export function detailedTask(
  task: Task,
  options: TaskViewOptions,
  { contract, capabilities }: { readonly contract: ResultContract; readonly capabilities: ShownCapabilities },
): JsonObject {
  const head = taskHead(task, options);
  switch (head.status as McpTaskStatus) {
    case 'completed':
      return { ...head, result: resultOfTask(task, contract) };
    case 'failed':
      return { ...head, error: { code: MCP_CODES.internal, message: statusText(task) } };
    case 'input_required':
      return { ...head, inputRequests: inputRequests(task, capabilities) };
    case 'working':
    case 'cancelled':
      return head;
  }
}

/** The open questions of a task by their keys: those that the client can show. */
export function inputRequests(task: Task, capabilities: ShownCapabilities): JsonObject {
  const shown = questionsIn(task).filter(({ mode }) => capabilities[mode]);
  return Object.fromEntries(shown.map((question) => [question.key, elicitationOf(question)]));
}
