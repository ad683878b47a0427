import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchTransport, OpenAiStub, type StubAnswer } from '../../../test/kit/stubs/openai-stub.js';
import type { ModelReply, ModelRequest } from '@parley/sdk/model/model.port.js';
import { type ModelTransport, OpenAiModel } from './openai.model.js';

let stub: OpenAiStub;

beforeAll(async () => {
  stub = await OpenAiStub.start();
});

afterAll(() => stub.close());

const REQUEST: ModelRequest = { messages: [{ role: 'user', text: 'What is the weather?' }] };

async function asked(
  answers: readonly StubAnswer[],
  { request = REQUEST, onText }: { request?: ModelRequest; onText?: (piece: string) => void } = {},
): Promise<ModelReply> {
  stub.script(...answers);
  const model = new OpenAiModel({ url: stub.url, model: 'stub', key: () => 'secret' }, fetchTransport);
  const { signal } = new AbortController();
  return model.complete(request, { signal, idempotencyKey: 'k', ...(onText === undefined ? {} : { onText }) });
}

describe(OpenAiModel.name, () => {
  it('returns a whole answer with the tokens counted by the server', async () => {
    const reply = await asked([{ text: 'It rains.' }]);
    expect(reply).toEqual({ text: 'It rains.', toolCalls: [], usage: { input: 11, output: 7 }, finish: 'stop' });
    const [request] = stub.requests;
    expect(request?.headers).toMatchObject({ authorization: 'Bearer secret', 'idempotency-key': 'k' });
    expect(request?.body).toEqual({ model: 'stub', messages: [{ role: 'user', content: 'What is the weather?' }] });
  });

  it('gives access to other models at its address, with its key', async () => {
    stub.script({ text: 'It rains.' });
    const model = new OpenAiModel({ url: stub.url, model: 'stub', key: () => 'secret' }, fetchTransport).named('small');
    expect(model.name).toBe('small');
    await model.complete(REQUEST, { signal: new AbortController().signal, idempotencyKey: 'k' });
    const [request] = stub.requests;
    expect(request?.headers).toMatchObject({ authorization: 'Bearer secret' });
    expect(request?.body).toMatchObject({ model: 'small' });
  });

  it('passes the pieces of a stream on as they arrive', async () => {
    const pieces: string[] = [];
    const reply = await asked([{ text: 'It rains in Oslo.' }], { onText: (piece) => pieces.push(piece) });
    expect(pieces).toEqual(['It ', 'rains ', 'in ', 'Oslo.']);
    expect(reply).toMatchObject({ text: 'It rains in Oslo.', usage: { input: 11, output: 7 } });
  });

  it.each([true, false])('reads calls of tools (streamed: %s)', async (isStreamed) => {
    const tools = [{ name: 'weather', description: 'Tells the weather', parameters: { type: 'object' } }];
    const answer = { tool: 'weather', given: { city: 'Oslo', days: [1, 2, 3] } };
    const options = { request: { ...REQUEST, tools }, ...(isStreamed ? { onText: () => undefined } : {}) };
    const reply = await asked([answer], options);
    expect(reply.toolCalls).toEqual([{ id: 'call_1', name: 'weather', arguments: { city: 'Oslo', days: [1, 2, 3] } }]);
    expect(reply.finish).toBe('tools');
    expect(stub.requests[0]?.body).toMatchObject({ tools: [{ type: 'function', function: { name: 'weather' } }] });
  });

  it('sends tool calls and results back in the form of the server', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } };
    const messages = [
      ...REQUEST.messages,
      { role: 'assistant' as const, text: '', toolCalls: [call] },
      { role: 'tool' as const, callId: 'call_1', name: 'weather', text: 'rain' },
    ];
    await asked([{ text: 'It rains.' }], { request: { messages } });
    expect(stub.requests[0]?.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    ]);
  });

  it('estimates tokens that the server does not count', async () => {
    const { usage } = await asked([{ text: 'It rains in Oslo.', usage: false }], { onText: () => undefined });
    expect(usage).toEqual({ input: 5, output: 5 });
  });

  it.each<[string, StubAnswer, object]>([
    ['429', { status: 429, retryAfter: '7' }, { kind: 'rate', retryAfterMs: 7_000 }],
    ['429 without a time', { status: 429 }, { kind: 'rate', retryAfterMs: undefined }],
    ['429 for money', { status: 429, error: { message: 'no', code: 'insufficient_quota' } }, { kind: 'spent' }],
    ['529', { status: 529, retryAfter: '1' }, { kind: 'rate', retryAfterMs: 1_000 }],
    ['503', { status: 503, retryAfter: '0' }, { kind: 'unavailable', retryAfterMs: 0 }],
    ['400 for its length', { status: 400, error: { code: 'context_length_exceeded' } }, { kind: 'too-long' }],
    ['400 by a filter', { status: 400, error: { code: 'content_filter' } }, { kind: 'filtered' }],
  ])('makes one request, and says what %s means (LLM-13)', async (_status, refusal, fault) => {
    await expect(asked([refusal, { text: 'Sun.' }])).rejects.toMatchObject(fault);
    expect(stub.requests).toHaveLength(1);
  });

  it.each([400, 401, 404])('never repeats a refused request (%d)', async (status) => {
    await expect(asked([{ status }, { text: 'Sun.' }])).rejects.toMatchObject({ kind: 'refused' });
    expect(stub.requests).toHaveLength(1);
  });

  it.each([
    {
      message: "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'.",
      param: 'max_tokens',
    },
    { message: 'max_tokens is deprecated' },
  ])('names the limit as the server takes it, from its refusal on (F3, A-2): %j', async (error) => {
    stub.script({ status: 400, error }, { text: 'Sun.' }, { text: 'Rain.' });
    const model = new OpenAiModel({ url: stub.url, model: 'stub' }, fetchTransport);
    const options = { signal: new AbortController().signal, idempotencyKey: 'k' };
    expect((await model.complete({ ...REQUEST, maxTokens: 7 }, options)).text).toBe('Sun.');
    expect((await model.complete({ ...REQUEST, maxTokens: 8 }, options)).text).toBe('Rain.');
    expect(stub.requests.map(({ body }) => body)).toMatchObject([
      { max_tokens: 7 },
      { max_completion_tokens: 7 },
      { max_completion_tokens: 8 },
    ]);
  });

  it('reports the reason of a refusal in one line of printable text', async () => {
    const error = { message: `context\u001b[31m of 8192 tokens\n${'x'.repeat(9_000)}` };
    const refused = asked([{ status: 400, error }], { request: { ...REQUEST, maxTokens: 5 } });
    await expect(refused).rejects.toThrow(/^The model has answered 400: context \[31m of 8192 tokens x{400,500}$/);
    expect(stub.requests).toHaveLength(1);
  });

  it('fails a truncated stream without repeating it', async () => {
    const cut = asked([{ text: 'It rains in Oslo.', cutAfter: 2 }, { text: 'Sun.' }], { onText: () => undefined });
    await expect(cut).rejects.toMatchObject({ kind: 'unavailable' });
    expect(stub.requests).toHaveLength(1);
  });

  it('refuses a stream with an endless line', async () => {
    const endless: ModelTransport = {
      async open() {
        async function* lines(): AsyncGenerator<Buffer, void, void> {
          for (;;) yield Buffer.alloc(65_536, 'x');
        }
        return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: lines() };
      },
    };
    const model = new OpenAiModel({ url: stub.url, model: 'stub' }, endless);
    const { signal } = new AbortController();
    const asking = model.complete(REQUEST, { signal, idempotencyKey: 'k', onText: () => undefined });
    await expect(asking).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('releases the connection of a refusal', async () => {
    let isLeft = false;
    const refusing: ModelTransport = {
      async open() {
        async function* text(): AsyncGenerator<Buffer, void, void> {
          try {
            for (;;) yield Buffer.from('no');
          } finally {
            isLeft = true;
          }
        }
        return { status: 401, headers: {}, body: text() };
      },
    };
    const model = new OpenAiModel({ url: stub.url, model: 'stub' }, refusing);
    const { signal } = new AbortController();
    await expect(model.complete(REQUEST, { signal, idempotencyKey: 'k' })).rejects.toMatchObject({ kind: 'refused' });
    expect(isLeft).toBe(true);
  });

  it('names JSON that cannot be read', async () => {
    await expect(asked([{ malformed: '{"choices":[{"mess' }])).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('leaves arguments that are no JSON to the caller, and sends none back (LLM-14, F8)', async () => {
    const call = { id: 'a', function: { name: 'weather', arguments: '{x' } };
    const malformed = answerOf({ message: { tool_calls: [call] }, finish_reason: 'tool_calls' });
    const { toolCalls } = await asked([{ malformed }]);
    expect(toolCalls).toEqual([{ id: 'a', name: 'weather', arguments: undefined, raw: '{x' }]);
    await asked([{ text: 'Sun.' }], { request: { messages: [{ role: 'assistant', text: '', toolCalls }] } });
    expect(stub.requests[0]?.body.messages[0]).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });

  it('counts cached and reasoning tokens, and no count that cannot be one (LLM-14, LLM-21)', async () => {
    const usage = {
      ...{ prompt_tokens: 100, completion_tokens: 20 },
      prompt_tokens_details: { cached_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 15 },
    };
    const reply = await asked([{ malformed: answerOf(SAID, usage) }]);
    expect(reply.usage).toEqual({ input: 100, output: 20, cached: 80, reasoning: 15 });
    for (const wrong of [-5, 1e300, '7', null]) {
      const absurd = answerOf(SAID, { prompt_tokens: wrong, completion_tokens: 3 });
      expect((await asked([{ malformed: absurd }])).usage).toEqual({ input: 5, output: 1 });
    }
  });

  it('gives what a server wants back with its calls, byte for byte, to that server only (LLM-14, LLM-29)', async () => {
    const extra_content = { google: { thought_signature: 'AAb+/=' } };
    const call = { id: 'a', function: { name: 'weather', arguments: '{}' }, extra_content };
    const message = { tool_calls: [call], reasoning_content: 'First \u00e9' };
    const reply = await asked([{ malformed: answerOf({ message, finish_reason: 'tool_calls' }) }]);
    const stored = JSON.parse(JSON.stringify(reply)) as ModelReply;
    const { text, toolCalls, opaque = [] } = stored;
    const said = { role: 'assistant' as const, text, toolCalls, opaque };
    await asked([{ text: 'Sun.' }], { request: { messages: [said] } });
    expect(stub.requests[0]?.body.messages[0]).toMatchObject({
      ...{ reasoning_content: 'First \u00e9', tool_calls: [{ extra_content }] },
    });
    const foreign = { ...said, opaque: opaque.map((one) => ({ ...one, of: 'other/model' })) };
    await asked([{ text: 'Sun.' }], { request: { messages: [foreign] } });
    expect(JSON.stringify(stub.requests[0]?.body)).not.toMatch(/thought_signature|reasoning_content/);
  });

  it('gives calls ids of their own where a server sends one for all, or none (LLM-14)', async () => {
    const called = { function: { name: 'weather', arguments: '{}' } };
    const message = { tool_calls: [{ id: 'same', ...called }, { id: 'same', ...called }, called] };
    const { toolCalls } = await asked([{ malformed: answerOf({ message, finish_reason: 'tool_calls' }) }]);
    expect(toolCalls.map(({ id }) => id)).toEqual(['same', 'call-2', 'call-3']);
  });
});

const SAID = { message: { content: 'Sun' }, finish_reason: 'stop' };

function answerOf(choice: object, usage: object = { prompt_tokens: 1, completion_tokens: 1 }): string {
  return JSON.stringify({ choices: [choice], usage });
}
