import type { JsonObject } from '@parley/protocol/model/json.js';
import { opaqueOf } from './openai-opaque.js';
import type { ModelFile, ModelMessage, ModelRequest, ModelTool } from '@parley/sdk/model/model.port.js';

/** The member that limits an answer: current models accept the second, many compatible servers only the first. */
export const LIMIT_NAMES = ['max_tokens', 'max_completion_tokens'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

interface BodyOptions {
  readonly isStreamed: boolean;
  readonly limit: LimitName;
  /** Whose opaque content goes back. */
  readonly origin: string;
}

/** The body of a request to `/chat/completions`, in the form that OpenAI and compatible servers take. */
export function openAiBody(
  model: string,
  request: ModelRequest,
  { isStreamed, limit, origin }: BodyOptions,
): JsonObject {
  const { messages, tools = [], toolChoice, responseSchema, maxTokens, temperature } = request;
  return {
    model,
    messages: messages.map((message) => messageOf(message, origin)),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(toolOf), ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }) }),
    ...(responseSchema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: responseSchema } } }),
    ...(maxTokens === undefined ? {} : { [limit]: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function messageOf(message: ModelMessage, origin: string): JsonObject {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: userContent(message.text, message.files ?? []) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant': {
      const { members, ofCalls } = opaqueOf(message.opaque, origin);
      // Arguments that are no JSON are left out: servers that read them would refuse the whole request.
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given, raw }) => ({
        ...{ id, type: 'function', function: { name, arguments: raw === undefined ? JSON.stringify(given) : '{}' } },
        ...ofCalls[id],
      }));
      if (calls.length === 0) return { role: 'assistant', content: message.text };
      return { role: 'assistant', content: message.text, tool_calls: calls, ...members };
    }
  }
}

/** A text, or parts with the bytes of files: an address would be fetched by the server of the model. */
function userContent(text: string, files: readonly ModelFile[]): unknown {
  if (files.length === 0) return text;
  return [{ type: 'text', text }, ...files.map(filePart)];
}

function filePart({ mediaType, name = 'file', data }: ModelFile): JsonObject {
  const [kind, format = ''] = mediaType.split('/');
  if (kind === 'audio')
    return { type: 'input_audio', input_audio: { data, format: format === 'mpeg' ? 'mp3' : format } };
  const url = `data:${mediaType};base64,${data}`;
  if (kind === 'image') return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { filename: name, file_data: url } };
}

function toolOf({ name, description, parameters }: ModelTool): JsonObject {
  return { type: 'function', function: { name, description, parameters } };
}
