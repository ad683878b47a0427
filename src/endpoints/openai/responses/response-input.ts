import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { type ChatRequest, readChatRequest } from '../chat/chat-input.js';

/** A request of the Responses API as the service reads it. */
export interface ResponseRequest extends ChatRequest {
  readonly previousId: string | undefined;
  readonly isBackground: boolean;
  /** The members that a response echoes. */
  readonly echoed: JsonObject;
}

/** Members with their values where a request has none. */
const ECHOED = {
  ...{ instructions: null, max_output_tokens: null, max_tool_calls: null, parallel_tool_calls: true },
  ...{ previous_response_id: null, temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 },
  ...{ tool_choice: 'auto', tools: [], truncation: 'disabled', top_logprobs: 0, service_tier: 'default' },
  ...{ text: { format: { type: 'text' } }, reasoning: { effort: null, summary: null }, metadata: {} },
  ...{ background: false, store: true, user: null, safety_identifier: null, prompt_cache_key: null },
} as const;
/** Faults of members that have other names in Chat Completions. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^messages/, 'input'],
  [/^response_format/, 'text.format'],
];

/** Reads a request by the rules of Chat Completions, whose words it has under other names. @throws A2AError InvalidParams */
export function readResponseRequest(body: unknown, options: { readonly takesStoreFalse?: boolean }): ResponseRequest {
  if (!isJsonObject(body)) throw invalidParams([{ field: '', description: 'must be an object' }]);
  const { previous_response_id: previous, conversation, instructions, text, input, tools, background } = body;
  const isContinued = typeof previous === 'string' || (conversation !== undefined && conversation !== null);
  const messages: unknown = messagesOf(input, isContinued);
  const system = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
  const format = isJsonObject(text) && isJsonObject(text.format) ? text.format : undefined;
  const asked = renamed(() =>
    readChatRequest(
      {
        ...body,
        messages: isListOfObjects(messages) ? [...system, ...messages] : messages,
        response_format: format === undefined ? undefined : { ...format, json_schema: { schema: format.schema } },
        tools: Array.isArray(tools) ? tools.map(asChatTool) : tools,
        metadata: { ...(isJsonObject(body.metadata) ? body.metadata : {}), ...contextOf(conversation) },
      },
      options,
    ),
  );
  const echoed = Object.entries(ECHOED).map(([name, usual]) => [name, body[name] ?? usual] as const);
  return {
    ...asked,
    previousId: typeof previous === 'string' ? previous : undefined,
    isBackground: background === true,
    echoed: Object.fromEntries(echoed),
  };
}

/** The members of a response that no request is known of. */
export const UNKNOWN_REQUEST: JsonObject = ECHOED;

function renamed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof A2AError) || error.kind !== 'InvalidParams') throw error;
    throw invalidParams(
      error.violations.map(({ field, description }) => {
        const [pattern, name] = NAMES.find(([known]) => known.test(field)) ?? [/^$/, ''];
        return { field: field.replace(pattern, name), description };
      }),
    );
  }
}

/** Items as messages of a chat. In a continued conversation all items are new, and count as one message. */
function messagesOf(input: unknown, isContinued: boolean): unknown {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (!isListOfObjects(input)) return input;
  const messages = input.map((item) => {
    const { type = 'message', role, content, call_id: callId, output } = item;
    if (type === 'function_call_output') return { role: 'tool', tool_call_id: callId, content: output };
    return { role: type === 'message' ? role : type, content: contentOf(content) };
  });
  const users = messages.filter(({ role }) => role === 'user');
  if (!isContinued || users.length < 2) return messages;
  return [{ role: 'user', content: users.flatMap(({ content }) => asParts(content)) }];
}

function isListOfObjects(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function asParts(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => {
    if (!isJsonObject(part)) return part;
    const { type, text, image_url: url, file_data: data, file_url: address, filename } = part;
    if (type === 'input_text' || type === 'output_text') return { type: 'text', text };
    if (type === 'input_image') return { type: 'image_url', image_url: { url } };
    if (type === 'input_file') return { type: 'file', file: { file_data: data ?? address, filename } };
    return part;
  });
}

function asChatTool(tool: unknown): unknown {
  return isJsonObject(tool) && tool.type === 'function' ? { type: 'function', function: tool } : tool;
}

function contextOf(conversation: unknown): JsonObject {
  const id = isJsonObject(conversation) ? conversation.id : conversation;
  return typeof id === 'string' ? { context_id: id } : {};
}
