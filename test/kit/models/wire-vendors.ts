import { crc32 } from 'node:zlib';
import type { ProviderType } from '../../../src/models/file/models-file.dto.js';

/** What a provider says in its own bytes, by its reference: an answer in pieces, or reasoning with a call of a tool. */
export interface WireVendor {
  readonly type: ProviderType;
  /** Of its address. */
  readonly path: string;
  readonly contentType: string;
  /** 100 tokens of a prompt, 80 of them cached, and 7 of the answer. */
  readonly text: (pieces: readonly string[]) => Buffer;
  /** Calls `weather` for Oslo, after signed reasoning. */
  readonly call: Buffer;
  readonly refusal: (message: string, code?: string) => string;
  /** An error within an answer that has begun well. */
  readonly broken: Buffer;
  /** The header of the key. */
  readonly keyHeader: string;
}

/** Opaque bytes, as providers sign them. */
export const SIGNATURE = 'EqQBCkYIARgCKkCv/+09aZ==é'.replace('é', 'Q');
export const REASONING = 'The user wants “Oslo”.\n';

const events = (list: readonly (readonly [string, object])[]): Buffer =>
  Buffer.from(list.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''));
const dataOnly = (list: readonly object[], end = ''): Buffer =>
  Buffer.from(list.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('') + end);

/** https://platform.openai.com/docs/api-reference/chat-streaming */
const openAiChunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const OPENAI_USAGE = {
  choices: [],
  usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 80 } },
};
const OPENAI: WireVendor = {
  ...{ type: 'openai-compatible', path: '/v1', contentType: 'text/event-stream', keyHeader: 'authorization' },
  text: (pieces) =>
    dataOnly(
      [
        openAiChunk({ role: 'assistant', content: '' }),
        ...pieces.map((content) => openAiChunk({ content })),
        openAiChunk({}, 'stop'),
        OPENAI_USAGE,
      ],
      'data: [DONE]\n\n',
    ),
  call: dataOnly(
    [
      openAiChunk({ role: 'assistant', reasoning_content: REASONING }),
      openAiChunk({
        tool_calls: [
          {
            ...{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } },
            extra_content: { google: { thought_signature: SIGNATURE } },
          },
        ],
      }),
      openAiChunk({ tool_calls: [{ index: 0, function: { arguments: '{"ci' } }] }),
      openAiChunk({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Oslo"}' } }] }),
      openAiChunk({}, 'tool_calls'),
      OPENAI_USAGE,
    ],
    'data: [DONE]\n\n',
  ),
  refusal: (message, code) => JSON.stringify({ error: { message, type: 'error', code } }),
  broken: dataOnly([openAiChunk({ content: 'It ' }), { error: { message: 'overloaded', code: 500 } }]),
};

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
const ANTHROPIC_START = [
  'message_start',
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null },
      ...{ stop_sequence: null },
      usage: { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 80, output_tokens: 1 },
    },
  },
] as const;
const anthropicBlock = (index: number, content_block: object, deltas: readonly object[]) =>
  [
    ['content_block_start', { type: 'content_block_start', index, content_block }],
    ...deltas.map((delta) => ['content_block_delta', { type: 'content_block_delta', index, delta }] as const),
    ['content_block_stop', { type: 'content_block_stop', index }],
  ] as const;
const anthropicEnd = (stop_reason: string) =>
  [
    [
      'message_delta',
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    ],
    ['message_stop', { type: 'message_stop' }],
  ] as const;
const ANTHROPIC: WireVendor = {
  ...{ type: 'anthropic', path: '/v1', contentType: 'text/event-stream; charset=utf-8', keyHeader: 'x-api-key' },
  text: (pieces) =>
    events([
      ANTHROPIC_START,
      ...anthropicBlock(
        0,
        { type: 'text', text: '' },
        pieces.map((text) => ({ type: 'text_delta', text })),
      ),
      ['ping', { type: 'ping' }],
      ...anthropicEnd('end_turn'),
    ]),
  call: events([
    ANTHROPIC_START,
    ...anthropicBlock(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: REASONING },
      { type: 'signature_delta', signature: SIGNATURE },
    ]),
    ...anthropicBlock(1, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }, [
      { type: 'input_json_delta', partial_json: '{"ci' },
      { type: 'input_json_delta', partial_json: 'ty":"Oslo"}' },
    ]),
    ...anthropicEnd('tool_use'),
  ]),
  refusal: (message, type = 'api_error') => JSON.stringify({ type: 'error', error: { type, message } }),
  broken: events([
    ANTHROPIC_START,
    ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'It ' } }],
    ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
  ]),
};

/** https://ai.google.dev/api/generate-content */
const googleChunk = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  usageMetadata: {
    ...{ promptTokenCount: 100, cachedContentTokenCount: 80, candidatesTokenCount: 7, totalTokenCount: 107 },
  },
  modelVersion: 'm',
  responseId: 'r',
});
const GOOGLE: WireVendor = {
  ...{ type: 'google', path: '/v1beta', contentType: 'text/event-stream', keyHeader: 'x-goog-api-key' },
  text: (pieces) =>
    dataOnly(
      pieces.map((text, at) => googleChunk([{ text }], at === pieces.length - 1 ? { finishReason: 'STOP' } : {})),
    ),
  call: dataOnly([
    googleChunk([{ text: REASONING, thought: true }]),
    googleChunk([{ functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: SIGNATURE }], {
      finishReason: 'STOP',
    }),
  ]),
  refusal: (message, status = 'INTERNAL') => JSON.stringify({ error: { code: 500, message, status } }),
  broken: dataOnly([googleChunk([{ text: 'It ' }])]),
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html has the frames, Converse the events. */
function frame(type: string, payload: object, kind = 'event'): Buffer {
  const header = (name: string, value: string): Buffer => {
    const head = Buffer.from([name.length, ...Buffer.from(name), 7, value.length >> 8, value.length & 255]);
    return Buffer.concat([head, Buffer.from(value)]);
  };
  const headers = Buffer.concat([
    header(kind === 'event' ? ':event-type' : ':exception-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const total = headers.length + body.length + 16;
  const bytes = Buffer.alloc(total);
  bytes.writeUInt32BE(total, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  headers.copy(bytes, 12);
  body.copy(bytes, 12 + headers.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, total - 4)), total - 4);
  return bytes;
}
const bedrockEnd = (stopReason: string): readonly Buffer[] => [
  frame('messageStop', { stopReason }),
  frame('metadata', {
    usage: { inputTokens: 20, outputTokens: 7, totalTokens: 107, cacheReadInputTokens: 80, cacheWriteInputTokens: 0 },
    metrics: { latencyMs: 9 },
  }),
];
const BEDROCK: WireVendor = {
  ...{ type: 'bedrock', path: '', contentType: 'application/vnd.amazon.eventstream', keyHeader: 'authorization' },
  text: (pieces) =>
    Buffer.concat([
      frame('messageStart', { role: 'assistant' }),
      ...pieces.map((text) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
      frame('contentBlockStop', { contentBlockIndex: 0 }),
      ...bedrockEnd('end_turn'),
    ]),
  call: Buffer.concat([
    frame('messageStart', { role: 'assistant' }),
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: REASONING } } }),
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: SIGNATURE } } }),
    frame('contentBlockStop', { contentBlockIndex: 0 }),
    frame('contentBlockStart', {
      contentBlockIndex: 1,
      start: { toolUse: { toolUseId: 'tooluse_1', name: 'weather' } },
    }),
    frame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"ci' } } }),
    frame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: 'ty":"Oslo"}' } } }),
    frame('contentBlockStop', { contentBlockIndex: 1 }),
    ...bedrockEnd('tool_use'),
  ]),
  refusal: (message) => JSON.stringify({ message }),
  broken: Buffer.concat([
    frame('messageStart', { role: 'assistant' }),
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'It ' } }),
    frame('modelStreamErrorException', { message: 'broken' }, 'exception'),
  ]),
};

export const WIRE_VENDORS: readonly WireVendor[] = [OPENAI, ANTHROPIC, GOOGLE, BEDROCK];
