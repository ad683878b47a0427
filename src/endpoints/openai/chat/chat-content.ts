import { MODEL_USAGE_EXTENSION } from '@parley/protocol/extension/model-usage.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { Task, TaskStatus } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { faultsOfValue, SchemaTooHard } from '@parley/sdk/skill/schema/check-value.js';
import { HttpFault } from '../../../http/errors.js';
import { intentAnswerOf } from '../../../operations/intents/intent-answer.js';
import { textOfMessage } from '../../../operations/open-forms.js';
import type { ChatRequest } from './chat-input.js';

/** The text of the parts of an artifact: data as JSON, a file as a link or by its name. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.map(textOfPart).join('');
}

function textOfPart(part: Part): string {
  if ('text' in part) return part.text;
  if ('data' in part) return JSON.stringify(part.data);
  const { filename = 'file', mediaType } = part;
  const name = filename.replace(/[[\]()<>\\`*_]/g, (sign) => `\\${sign}`);
  if ('url' in part && /^https?:\/\//i.test(part.url)) return `[${name}](${encodeURI(decodable(part.url))})`;
  const size = 'raw' in part ? `${String(Math.floor((part.raw.length * 3) / 4))} bytes` : undefined;
  return `\\[${[name, mediaType, size].filter((word) => word !== undefined).join(', ')}\\]`;
}

/** Encoded once more as a whole, an address keeps the encoding that it has. */
function decodable(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/** The answer of a completed task: its artifacts, or what it said at its end. */
export function contentOf({ artifacts = [], status }: Task): string {
  const texts = artifacts.map(({ parts }) => textOfParts(parts)).filter((text) => text !== '');
  return texts.length > 0 ? texts.join('\n\n') : textOfMessage(status.message);
}

/** The result of a completed task as the JSON text that was asked for. @throws HttpFault where it is another one */
export function jsonOf(task: Task, { schema }: NonNullable<ChatRequest['format']>): string {
  const answer = intentAnswerOf({ task }, true);
  const result = answer.kind === 'done' ? answer.result : {};
  const fault = schema === undefined ? undefined : misfit(schema, result);
  if (fault === undefined) return JSON.stringify(result);
  const metadata = { code: 'output_schema_mismatch', taskId: task.id };
  throw new HttpFault(
    'InvalidRequest',
    `The result of the task does not fit response_format: ${fault}`,
    422,
    {},
    { metadata },
  );
}

function misfit(schema: JsonObject, value: unknown): string | undefined {
  try {
    const [fault] = faultsOfValue(schema, value);
    return fault && `${fault.path} ${fault.text}`;
  } catch (error) {
    if (error instanceof SchemaTooHard) return error.message;
    throw error;
  }
}

/** Undefined for a task that asked no model: no number is estimated. */
export function usageOf({ metadata }: Pick<Task, 'metadata'>): JsonObject | undefined {
  const usage = metadata?.[MODEL_USAGE_EXTENSION];
  if (!isJsonObject(usage)) return undefined;
  const [input, output] = [Number(usage.inputTokens), Number(usage.outputTokens)];
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const ENDINGS: Readonly<Partial<Record<TaskState, readonly [number, string, string]>>> = {
  TASK_STATE_FAILED: [500, 'task_failed', 'The task failed'],
  TASK_STATE_REJECTED: [422, 'task_rejected', 'The task was rejected'],
  TASK_STATE_CANCELED: [409, 'task_canceled', 'The task was canceled'],
  TASK_STATE_SUBMITTED: [504, 'task_running', 'The task is still running'],
  TASK_STATE_WORKING: [504, 'task_running', 'The task is still running'],
};

/** Why a task has no answer; undefined where it has one. */
export function endingFault(taskId: string, status: TaskStatus): A2AError | undefined {
  const ending = ENDINGS[status.state];
  if (ending === undefined) return undefined;
  const [code, name, text] = ending;
  const said = code === 504 ? '' : textOfMessage(status.message);
  const kind = code === 500 || code === 504 ? 'InternalError' : 'InvalidRequest';
  return new HttpFault(
    kind,
    `${said === '' ? text : said} (task ${taskId})`,
    code,
    {},
    { metadata: { code: name, taskId } },
  );
}
