import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { ToolOutcome, ToolQuestion, ToolResult } from '@parley/sdk/skill/tools/skill-tool.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { ANY_ANSWER, flatSchema } from '@parley/protocol/mcp/form.js';
import { badAnswer } from '../client/tool-error.js';
import type { ToolDefinition } from '../client/tool-definition.js';
import { faultsOfValue, SchemaTooHard } from '@parley/sdk/skill/schema/check-value.js';

/** Requirements on a tool's answer. */
export interface ResultTerms {
  readonly definition: ToolDefinition;
  readonly maxResultBytes: number;
  readonly isLong: boolean;
}

/** Questions per answer. */
const MAX_QUESTIONS = 16;
/** Characters of a question, and of the state that a server expects back. */
const MAX_TEXT = 4000;
const MAX_STATE = 64 * 1024;
/** Pauses between two polls of a task, ms: a server can ask for longer ones, and for slightly shorter ones. */
const POLL = { usual: 1000, least: 200, most: 60_000 };

/** The outcome in a result of `tools/call`. @throws ToolError invalid-answer */
export function readOutcome(result: JsonObject, terms: ResultTerms): ToolOutcome {
  switch (result.resultType ?? 'complete') {
    case 'complete':
      return { kind: 'result', result: readResult(result, terms) };
    case 'input_required':
      return readQuestions(result);
    case 'task':
      if (!terms.isLong) throw badAnswer('The tool began a task; say `"long": true` in MCP_SERVERS_FILE if it may');
      return readTask(result);
    default:
      throw badAnswer('The result is of a kind that this client does not know');
  }
}

/**
 * A finished result: content within its bound, and structured content that fits the pinned schema. @throws ToolError
 * invalid-answer
 */
export function readResult(result: JsonObject, { definition, maxResultBytes }: ResultTerms): ToolResult {
  const { content = [], structuredContent, isError = false } = result;
  if (!Array.isArray(content)) throw badAnswer('The content of the result is no list');
  const bytes = Buffer.byteLength(JSON.stringify([content, structuredContent]));
  if (bytes > maxResultBytes)
    throw badAnswer(`The result has ${String(bytes)} bytes; at most ${String(maxResultBytes)} are taken`);
  const parts = content.flatMap((block: unknown) => partOf(block) ?? []);
  if (isError !== true) checkStructured(structuredContent, definition);
  return {
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
    text: parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'),
    parts,
    isError: isError === true,
  };
}

function checkStructured(value: unknown, { outputSchema }: ToolDefinition): void {
  if (outputSchema === undefined) return;
  if (value === undefined) throw badAnswer('The result lacks the structured content that the tool has promised');
  try {
    const [fault] = faultsOfValue(outputSchema, value);
    if (fault === undefined) return;
    throw badAnswer(`The structured content does not fit the output schema: ${fault.path || 'it'} ${fault.text}`);
  } catch (error) {
    if (!(error instanceof SchemaTooHard)) throw error;
  }
}

/** A block of content as a part; links stay links. Undefined for an unknown kind. */
function partOf(block: unknown): Part | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, text, data, mimeType, uri, name, resource } = block;
  const mediaType = typeof mimeType === 'string' ? { mediaType: mimeType } : {};
  if (type === 'text' && typeof text === 'string') return { text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return { raw: data, ...mediaType };
  if (type === 'resource_link' && typeof uri === 'string')
    return { url: uri, ...mediaType, ...(typeof name === 'string' ? { filename: name } : {}) };
  return type === 'resource' && isJsonObject(resource) ? embedded(resource) : undefined;
}

function embedded({ text, blob, mimeType }: JsonObject): Part | undefined {
  const mediaType = typeof mimeType === 'string' ? { mediaType: mimeType } : {};
  if (typeof text === 'string') return { text, ...mediaType };
  return typeof blob === 'string' ? { raw: blob, ...mediaType } : undefined;
}

/** The questions of a tool. @throws ToolError invalid-answer for anything but a form or an address */
export function readQuestions({ inputRequests, requestState }: JsonObject): Extract<ToolOutcome, { kind: 'asks' }> {
  const asked = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (asked.length === 0 || asked.length > MAX_QUESTIONS)
    throw badAnswer('The tool asks for input without saying for what');
  if (requestState !== undefined && (typeof requestState !== 'string' || requestState.length > MAX_STATE))
    throw badAnswer('The state of the questions is too large');
  return {
    kind: 'asks',
    questions: asked.map(([key, request]) => questionOf(key, request)),
    ...(typeof requestState === 'string' ? { state: requestState } : {}),
  };
}

function questionOf(key: string, request: unknown): ToolQuestion {
  const isElicitation =
    isJsonObject(request) && request.method === 'elicitation/create' && isJsonObject(request.params);
  if (!isElicitation) throw badAnswer('The tool asks for something that this client does not offer');
  const { message, requestedSchema, url } = request.params as JsonObject;
  const text = typeof message === 'string' ? message.slice(0, MAX_TEXT) : '';
  if (typeof url === 'string') {
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
      throw badAnswer('The tool wants an address opened that is not https');
    return { key, text, url };
  }
  const schema = isJsonObject(requestedSchema) ? flatSchema(requestedSchema) : undefined;
  return { key, text, schema: withoutHints(schema ?? ANY_ANSWER) };
}

/** Names of choices are for forms, and not a keyword of JSON Schema. */
function withoutHints(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const members = Object.entries(properties).map(([name, member]) => {
    const { enumNames: _names, ...rest } = isJsonObject(member) ? member : {};
    return [name, rest] as const;
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

function readTask({ taskId, pollIntervalMs }: JsonObject): Extract<ToolOutcome, { kind: 'task' }> {
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > 1024)
    throw badAnswer('The task of the tool has no id');
  return { kind: 'task', taskId, pollMs: pollMsOf(pollIntervalMs) };
}

/** The pause before the next poll of a task, ms. */
export function pollMsOf(wished: unknown): number {
  return typeof wished === 'number' ? Math.min(Math.max(wished, POLL.least), POLL.most) : POLL.usual;
}
