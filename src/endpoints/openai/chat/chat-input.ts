import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';

/** The tool by whose calls a client gets questions, where it declares it. */
export const ASK_TOOL = 'ask_user';

/** The output of a call of `ask_user`. */
export interface CallOutput {
  readonly callId: string;
  readonly text: string;
}

/** A chat completion request as the service reads it; unknown members are ignored. */
export interface ChatRequest {
  readonly model: string;
  /** The newest words of the person; none where outputs of calls are given. */
  readonly parts: readonly Part[];
  readonly outputs: readonly CallOutput[];
  /** The text of the assistant before them: who sent it is unknown. */
  readonly said: string | undefined;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  readonly hasAskTool: boolean;
  /** Set for an answer in JSON: by this schema, or any. */
  readonly format: { readonly schema?: JsonObject } | undefined;
  readonly contextId: string | undefined;
  /** For the skill, as hints: nothing in it is a right. */
  readonly hints: JsonObject;
}

const MAX_HINTS = 32 * 1024;
const MAX_TOOLS = 128;
const MAX_PAIRS = 16;
/** Members with which a completion would be another one: only their usual values are taken. */
const USUAL: Readonly<Record<string, readonly unknown[]>> = {
  ...{ n: [1], logprobs: [false], top_logprobs: [0], stop: [], audio: [], prediction: [], functions: [] },
};

/** @throws A2AError InvalidParams with the path of every wrong member, before any task */
export function readChatRequest(body: unknown, { takesStoreFalse = false } = {}): ChatRequest {
  if (!isJsonObject(body)) throw invalidParams([{ field: '', description: 'must be an object' }]);
  const faults: FieldViolation[] = [];
  const check = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  const { model, messages, stream, tools = [], response_format: format, metadata, store } = body;
  check(typeof model === 'string' && model !== '', 'model', 'must be the id of a model');
  const isList = Array.isArray(messages) && messages.length > 0 && messages.every(isJsonObject);
  check(isList, 'messages', 'must be a list of messages');
  for (const [name, usual] of Object.entries(USUAL)) check(isUsual(body[name], usual), name, 'is not supported');
  check(store !== false || takesStoreFalse, 'store', 'must not be false: tasks are stored');
  const spoken = body.modalities;
  check(!Array.isArray(spoken) || spoken.every((one) => one === 'text'), 'modalities', 'must be text');
  const offered: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const functions = offered.filter(isJsonObject).filter(({ type }) => type === 'function');
  const isKnown = functions.length === offered.length && (tools === null || Array.isArray(tools));
  check(isKnown, 'tools', 'must be functions: this service runs no other tools');
  check(offered.length <= MAX_TOOLS, 'tools', `has at most ${String(MAX_TOOLS)} entries`);
  const pairs = isJsonObject(metadata) ? metadata : {};
  const areFew = Object.keys(pairs).length <= MAX_PAIRS && JSON.stringify(pairs).length <= MAX_HINTS;
  check(areFew, 'metadata', `has at most ${String(MAX_PAIRS)} entries, with 32 KiB together`);
  const list = isList ? messages : [];
  const read = newest(list, check);
  const system = list.filter(({ role }) => role === 'system' || role === 'developer');
  const instructions = system.map(({ content }) => textOf(content)).join('\n\n');
  check(instructions.length <= MAX_HINTS, 'messages', 'have at most 32 KiB of system messages');
  if (faults.length > 0) throw invalidParams(faults);
  const { include_usage: wantsUsage } = isJsonObject(body.stream_options) ? body.stream_options : {};
  return {
    ...read,
    ...{ model: String(model), isStream: stream === true, wantsUsage: wantsUsage === true },
    hasAskTool: functions.some((one) => isJsonObject(one.function) && one.function.name === ASK_TOOL),
    format: formatOf(format),
    contextId: typeof pairs.context_id === 'string' ? pairs.context_id : undefined,
    hints: hintsOf(body, instructions, pairs),
  };
}

function hintsOf(body: JsonObject, instructions: string, pairs: JsonObject): JsonObject {
  const { safety_identifier: user = body.user } = body;
  return {
    ...(instructions === '' ? {} : { instructions }),
    ...(typeof user === 'string' ? { user: user.slice(0, 256) } : {}),
    ...(Object.keys(pairs).length === 0 ? {} : { metadata: pairs }),
  };
}

/** Null, empty and default values count as absent: chat pages send them. */
function isUsual(value: unknown, usual: readonly unknown[]): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0) || usual.includes(value);
}

type Check = (holds: boolean, field: string, description: string) => void;

/** The last words of the person, or the outputs of calls behind them; all before is history, which a client may invent. */
function newest(messages: readonly JsonObject[], check: Check): Pick<ChatRequest, 'parts' | 'outputs' | 'said'> {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool');
  const outputs = messages
    .slice(lastOther + 1)
    .flatMap(({ tool_call_id: callId, content }) =>
      typeof callId === 'string' ? [{ callId, text: textOf(content) }] : [],
    );
  if (outputs.length > 0) return { parts: [], outputs, said: undefined };
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const field = `messages[${String(Math.max(at, 0))}].content`;
  const parts = partsOf(messages[at]?.content, field, check);
  check(parts.length > 0, field, 'has nothing that a skill could read');
  const answer = messages.slice(0, Math.max(at, 0)).findLast(({ role }) => role === 'assistant');
  return { parts, outputs: [], said: answer === undefined ? undefined : textOf(answer.content) };
}

function partsOf(content: unknown, field: string, check: Check): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).flatMap((part, at): readonly Part[] => {
    const place = `${field}[${String(at)}]`;
    const { type, text, image_url: image, input_audio: audio, file } = part;
    if (type === 'text' && typeof text === 'string') return text === '' ? [] : [{ text }];
    if (type === 'image_url' && isJsonObject(image)) return filePart(image.url, place, check);
    if (type === 'input_audio' && isJsonObject(audio) && typeof audio.data === 'string')
      return [{ raw: audio.data, mediaType: `audio/${String(audio.format)}` }];
    if (type === 'file' && isJsonObject(file)) {
      const named = typeof file.filename === 'string' ? { filename: file.filename } : {};
      return filePart(file.file_data, place, check).map((one) => ({ ...one, ...named }));
    }
    check(false, place, 'is of a type that is not supported');
    return [];
  });
}

/** A file by a data URL, or by an address that the skill may fetch. */
function filePart(url: unknown, field: string, check: Check): readonly Part[] {
  const text = typeof url === 'string' ? url : '';
  if (/^https?:\/\//i.test(text)) return [{ url: text }];
  const comma = text.indexOf(',');
  const [mediaType = '', ...rest] = text.slice('data:'.length, Math.max(comma, 0)).split(';');
  const isData = text.startsWith('data:') && comma > 0 && rest.includes('base64');
  check(isData, field, 'must have a data URL in base64, or an https address; ids of files are not known here');
  return isData ? [{ raw: text.slice(comma + 1), ...(mediaType === '' ? {} : { mediaType }) }] : [];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('');
}

function formatOf(format: unknown): ChatRequest['format'] {
  if (!isJsonObject(format) || format.type === 'text') return undefined;
  const { schema } = isJsonObject(format.json_schema) ? format.json_schema : {};
  return isJsonObject(schema) ? { schema } : {};
}
