import type { JsonObject } from '../model/json.js';
import type { Message, Part } from '../model/message.js';
import type { Artifact, Task } from '../model/task.js';
import { isJsonObject } from '../json/json-value.js';
import { type ContentBlock, contentBlocks, MAX_ANSWER, type NamedPart } from './content-block.js';
import { artifactUri } from './resource-uri.js';
import { PARLEY_META } from './revision.js';

/** The result of a tool (`CallToolResult`). */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
  readonly _meta?: JsonObject;
}

/** Declared result of a tool. */
export interface ResultContract {
  /** Whether it has an output schema: clients then refuse a result without structured content. */
  readonly isStructured: boolean;
  /** The artifact with the result, where the skill makes several. */
  readonly artifactId?: string | undefined;
}

/** The promise of a task whose tool is not known. */
export const NO_CONTRACT: ResultContract = { isStructured: false };

/** A result that a model can read and correct its call by. */
export function toolError(text: string, meta?: JsonObject): ToolResult {
  return { content: [{ type: 'text', text }], isError: true, ...(meta === undefined ? {} : { _meta: meta }) };
}

/** The result of a finished task: its artifacts, then its last word (MCP-SRV-3). */
export function resultOfTask(task: Task, contract: ResultContract): ToolResult {
  const { id, artifacts = [], status } = task;
  const meta = taskMeta(task);
  const data = contract.isStructured ? structuredIn(artifacts, contract.artifactId) : undefined;
  const room = data === undefined ? MAX_ANSWER : MAX_ANSWER - JSON.stringify(data).length;
  const word = (status.message?.parts ?? []).map((part, at) =>
    named(part, `parley://tasks/${id}/status/${String(at)}`),
  );
  const content = contentBlocks(
    [...artifacts.flatMap((artifact) => partsOf(id, artifact)), ...word],
    Math.max(0, room),
  );
  if (status.state !== 'TASK_STATE_COMPLETED') {
    return { content: orText(content, endOf(task)), isError: true, _meta: meta };
  }
  const whole = orText(content, 'The task is completed.');
  if (!contract.isStructured) return { content: whole, _meta: meta };
  if (data === undefined) {
    const note: ContentBlock = { type: 'text', text: 'The tool gave no structured result.' };
    return { content: [...whole, note], isError: true, _meta: meta };
  }
  return { content: whole, structuredContent: data, _meta: meta };
}

/** The result of a direct answer, which has no task. */
export function resultOfMessage({ parts, contextId }: Message, { isStructured }: ResultContract): ToolResult {
  const content = contentBlocks(parts.map((part, at) => named(part, `parley://answer/${String(at)}`)));
  const data = isStructured ? parts.map(dataOf).find(isJsonObject) : undefined;
  const meta = contextId === undefined ? {} : { _meta: { [PARLEY_META.contextId]: contextId } };
  if (isStructured && data === undefined) return { content, isError: true, ...meta };
  return { content, ...(data === undefined ? {} : { structuredContent: data }), ...meta };
}

/** The names of a task for a client's next calls. */
export function taskMeta({ id, contextId }: Pick<Task, 'id' | 'contextId'>): JsonObject {
  return { [PARLEY_META.taskId]: id, [PARLEY_META.contextId]: contextId };
}

/** The text of a status message; '' without one. */
export function statusText({ status }: Pick<Task, 'status'>): string {
  const texts = (status.message?.parts ?? []).flatMap((part) => ('text' in part ? [part.text] : []));
  return texts.join('\n');
}

function endOf(task: Task): string {
  return task.status.state === 'TASK_STATE_CANCELED' ? 'The task was canceled.' : 'The task has failed.';
}

/** The named artifact; without a name the only one with data, else the last. */
function structuredIn(artifacts: readonly Artifact[], artifactId: string | undefined): JsonObject | undefined {
  const ours = artifactId === undefined ? artifacts : artifacts.filter((one) => one.artifactId === artifactId);
  return ours.flatMap(({ parts }) => parts.map(dataOf).filter(isJsonObject).slice(0, 1)).at(-1);
}

function partsOf(taskId: string, { artifactId, name, parts }: Artifact): readonly NamedPart[] {
  return parts.map((part, at) => ({
    part,
    uri: artifactUri({ taskId, artifactId, part: at }),
    name: name ?? artifactId,
    isStored: true,
  }));
}

function named(part: Part, uri: string): NamedPart {
  return { part, uri, name: 'message', isStored: false };
}

function dataOf(part: Part): unknown {
  return 'data' in part ? part.data : undefined;
}

function orText(content: readonly ContentBlock[], text: string): readonly ContentBlock[] {
  return content.length > 0 ? content : [{ type: 'text', text }];
}
