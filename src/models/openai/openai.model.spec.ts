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

  it.each<[string, StubAnswer]>([
    ['429', { status: 429, retryAfter: '0' }],
    ['503', { status: 503, retryAfter: '0' }],
  ])('asks again after %s', async (_status, refusal) => {
    expect((await asked([refusal, { text: 'Sun.' }])).text).toBe('Sun.');
    expect(stub.requests).toHaveLength(2);
  });

  it('gives up after three attempts, and at once when the model asks for a long pause', async () => {
    const busy = { status: 429, retryAfter: '0' };
    await expect(asked([busy, busy, busy, busy])).rejects.toMatchObject({ kind: 'unavailable' });
    expect(stub.requests).toHaveLength(3);
    await expect(asked([{ status: 429, retryAfter: '600' }])).rejects.toMatchObject({ retryAfterMs: 600_000 });
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

  it.each([
    '{"choices":[{"mess',
    '{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{x"}}]},"finish_reason":"tool_calls"}]}',
  ])('names JSON that cannot be read: %s', async (malformed) => {
    await expect(asked([{ malformed }])).rejects.toMatchObject({ kind: 'malformed' });
  });
});
