import type { JsonObject } from '@parley/protocol/model/json.js';
import { SCOPE_OF } from '../../../auth/scopes.js';

const TASK_ID = { type: 'string', description: 'The id of the task, as a tool has given it' };

/** A tool about tasks, for hosts without task handles. */
export interface TaskTool {
  readonly name: 'parley_task_get' | 'parley_task_answer' | 'parley_task_cancel';
  readonly scope: string;
  readonly tool: JsonObject;
}

/** The tools that read, answer and cancel the caller's tasks (MCP-WORK-3). */
export const TASK_TOOLS: readonly TaskTool[] = [
  {
    name: 'parley_task_get',
    scope: SCOPE_OF.GetTask,
    tool: {
      name: 'parley_task_get',
      title: 'Read a task',
      description: 'Shows how a task that was begun by another tool stands: its state, its question, or its result.',
      inputSchema: objectOf({ taskId: TASK_ID }, ['taskId']),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
  },
  {
    name: 'parley_task_answer',
    scope: SCOPE_OF.SendMessage,
    tool: {
      name: 'parley_task_answer',
      title: 'Answer a task',
      description:
        'Answers the question of a task, and waits for what follows. Give `text`, or `content` for a question with a form. ' +
        'Ask the person before answering for them.',
      inputSchema: objectOf(
        {
          taskId: TASK_ID,
          text: { type: 'string', description: 'The answer in words' },
          content: { type: 'object', description: 'The answer by the fields of the form' },
        },
        ['taskId'],
      ),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
  },
  {
    name: 'parley_task_cancel',
    scope: SCOPE_OF.CancelTask,
    tool: {
      name: 'parley_task_cancel',
      title: 'Cancel a task',
      description: 'Cancels a task that was begun by another tool.',
      inputSchema: objectOf({ taskId: TASK_ID }, ['taskId']),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
  },
];

/** The tool about tasks with that name; undefined for any other name. */
export function taskToolOf(name: string): TaskTool | undefined {
  return TASK_TOOLS.find((one) => one.name === name);
}

/** The schema of an object with these members and no others. */
export function objectOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}
