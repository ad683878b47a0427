import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { SendMessageResponse } from '@parley/protocol/model/operations.js';
import type { Artifact, Task } from '@parley/protocol/model/task.js';
import { isInterrupted, isTerminal, type TaskState } from '@parley/protocol/model/task-state.js';

/** The outcome of calling an intent, from the task behind it. */
export type IntentAnswer =
  | { readonly kind: 'done'; readonly result: JsonObject; readonly taskId?: string }
  /** The waiting time has expired and the task continues. */
  | ({ readonly kind: 'running' } & TaskFacts)
  /** The task waits for an answer: a message with its id. */
  | ({ readonly kind: 'asks'; readonly text: string; readonly parts: readonly Part[] } & TaskFacts)
  /** The task ended without a result. */
  | ({ readonly kind: 'failed'; readonly text: string } & TaskFacts);

interface TaskFacts {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskState;
}

/**
 * The answer to a call of an intent. A skill with an `output` contract answers with the first data part of its
 * artifacts, checked by the contract; any other with a member per artifact, named by its id: a text, a value, or a
 * file.
 */
export function intentAnswerOf(response: SendMessageResponse, hasOutput: boolean): IntentAnswer {
  if ('message' in response) return { kind: 'done', result: resultOf([], response.message.parts, hasOutput) };
  const { task } = response;
  const { id: taskId, contextId, status } = task;
  const facts = { taskId, contextId, status: status.state };
  const parts = status.message?.parts ?? [];
  if (isInterrupted(status.state)) return { kind: 'asks', text: textOf(parts), parts, ...facts };
  if (!isTerminal(status.state)) return { kind: 'running', ...facts };
  if (status.state === 'TASK_STATE_COMPLETED') return { kind: 'done', taskId, result: taskResult(task, hasOutput) };
  return { kind: 'failed', text: textOf(parts), ...facts };
}

function taskResult({ artifacts = [], status }: Task, hasOutput: boolean): JsonObject {
  return resultOf(artifacts, status.message?.parts ?? [], hasOutput);
}

function resultOf(artifacts: readonly Artifact[], said: readonly Part[], hasOutput: boolean): JsonObject {
  const parts = artifacts.length === 0 ? said : artifacts.flatMap((artifact) => artifact.parts);
  const output = hasOutput || artifacts.length === 0 ? firstObject(parts) : undefined;
  if (output !== undefined) return output;
  const named = artifacts.length === 0 && said.length > 0 ? [{ artifactId: 'message', parts: said }] : artifacts;
  return Object.fromEntries(named.map(({ artifactId, parts: own }) => [artifactId, valueOf(own)]));
}

function firstObject(parts: readonly Part[]): JsonObject | undefined {
  for (const part of parts) {
    if ('data' in part && isObject(part.data)) return part.data;
  }
  return undefined;
}

/** Joined texts; the value of a single part; else a list of values. */
function valueOf(parts: readonly Part[]): unknown {
  const [only] = parts;
  if (parts.every((part) => 'text' in part)) return textOf(parts);
  return parts.length === 1 && only !== undefined ? partValue(only) : parts.map(partValue);
}

function partValue(part: Part): unknown {
  if ('text' in part) return part.text;
  return 'data' in part ? part.data : part;
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
