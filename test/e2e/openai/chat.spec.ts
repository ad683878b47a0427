import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { type APIError } from 'openai';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { begun, CHAT_SKILLS } from './skills.js';

const ALL = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
const KEYS = { ann: 'ann.0123456789abcdef', bob: 'bob.0123456789abcdef' };
const WORDS = 'one two three\n\nThe end.\n\n[a\\[1\\].pdf](https://files.example/a%20b.pdf)';

type Chat = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'messages' | 'model'>;

describe('chat completions of a client of OpenAI', () => {
  let service: RunningApp;
  let rpc: RpcClient;

  beforeAll(async () => {
    const entries = [
      apiKeyEntry(KEYS.ann, { tenant: 'default', scopes: ALL }),
      apiKeyEntry(KEYS.bob, { tenant: 'default', scopes: `${ALL} skill:secret` }),
    ];
    const variables = { OPENAI: 'true', API_KEYS: entries.join('\n'), KEY_PREFIX: `test-${randomUUID()}` };
    service = await runApp(variables, { skills: CHAT_SKILLS });
    rpc = new RpcClient(service.url, { 'x-api-key': KEYS.ann });
  });
  afterAll(() => service.close());

  const client = (apiKey = KEYS.ann, defaultHeaders: Record<string, string> = {}): OpenAI =>
    new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey, defaultHeaders });
  const say = (
    model: string,
    content: OpenAI.ChatCompletionUserMessageParam['content'],
    more: Chat = {},
    options: OpenAI.RequestOptions = {},
  ): Promise<OpenAI.ChatCompletion> =>
    client().chat.completions.create({ model, messages: [{ role: 'user', content }], ...more }, options);
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.ann}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const refused = async (asked: Promise<unknown>): Promise<APIError> => {
    const fault: unknown = await asked.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(OpenAI.APIError);
    return fault as APIError;
  };
  const taskOf = async ({ id }: { readonly id: string }): Promise<JsonObject> =>
    (await rpc.call('GetTask', { id: id.replace('chatcmpl-', '') })).result as JsonObject;
  const toldIn = ({ choices: [choice] }: OpenAI.ChatCompletion): readonly JsonObject[] =>
    JSON.parse(choice?.message.content ?? '') as readonly JsonObject[];

  it('finds the skills of its caller as models, and no other (OAI-01)', async () => {
    const ids = async (key: string): Promise<readonly string[]> => {
      const models = await client(key).models.list();
      return models.data.map(({ id }) => id);
    };
    expect(await ids(KEYS.bob)).toEqual(expect.arrayContaining(['parley', 'words', 'secret']));
    expect(await ids(KEYS.ann)).not.toContain('secret');
    expect(await client().models.retrieve('words')).toMatchObject({ id: 'words', object: 'model', owned_by: 'parley' });
    const [hidden, unknown] = [
      await refused(client().models.retrieve('secret')),
      await refused(client().models.retrieve('nothing')),
    ];
    expect([hidden.status, hidden.code]).toEqual([404, 'model_not_found']);
    expect(hidden.message.replace('secret', 'nothing')).toBe(unknown.message);
    expect((await refused(say('secret', 'x'))).code).toBe('model_not_found');
  });

  it('are the artifacts of a task, with its id (OAI-02, OAI-09)', async () => {
    const completion = await say('words', 'one two three');
    expect(completion).toMatchObject({ object: 'chat.completion', model: 'words' });
    expect(completion.choices).toEqual([
      {
        index: 0,
        finish_reason: 'stop',
        logprobs: null,
        message: { role: 'assistant', content: WORDS, refusal: null },
      },
    ]);
    expect(completion).not.toHaveProperty('usage');
    expect(await taskOf(completion)).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('stream the same text, after a chunk with the role, up to [DONE] (OAI-03)', async () => {
    const stream = await client().chat.completions.create({
      ...{ model: 'words', messages: [{ role: 'user', content: 'one two three' }], stream: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const deltas = chunks.map(({ choices: [choice] }) => choice?.delta);
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
    expect(deltas.map((delta) => delta?.content ?? '').join('')).toBe(WORDS);
    expect(deltas).toContainEqual({ reasoning_content: 'writing\n' });
    expect(chunks.at(-1)?.choices[0]).toEqual({ index: 0, delta: {}, finish_reason: 'stop' });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    const body = { model: 'words', messages: [{ role: 'user', content: 'a' }], stream: true };
    const raw = await (await post(body, { 'x-parley-progress': 'off' })).text();
    expect(raw.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(raw).not.toContain('reasoning_content');
    expect(raw).not.toContain(':[null');
  });

  it('are answered by skills without a task, too', async () => {
    expect(await say('quick', 'x')).toMatchObject({ choices: [{ message: { content: 'at once' } }] });
    const stream = await client().chat.completions.create({
      ...{ model: 'quick', messages: [{ role: 'user', content: 'x' }], stream: true },
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('at once');
  });

  it('have the JSON of a result, whole (OAI-08)', async () => {
    expect(await say('double', '{"n": 21}')).toMatchObject({ choices: [{ message: { content: '{"n":42}' } }] });
  });

  it('fit response_format, or say that they do not (OAI-26)', async () => {
    const asFormat = (type: string): Chat => ({
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', schema: { type: 'object', properties: { n: { type } }, required: ['n'] } },
      },
    });
    expect(await say('double', '{"n": 1}', asFormat('integer'))).toMatchObject({
      choices: [{ message: { content: '{"n":2}' } }],
    });
    const misfit = await refused(say('double', '{"n": 1}', asFormat('string')));
    expect([misfit.status, misfit.code]).toEqual([422, 'output_schema_mismatch']);
    const none = await refused(say('words', 'x', asFormat('integer')));
    expect([none.status, none.param]).toEqual([400, 'response_format']);
    const streamed = await post({
      ...{ model: 'double', messages: [{ role: 'user', content: '{"n": 1}' }], stream: true },
      response_format: { type: 'json_object' },
    });
    expect((await streamed.text()).match(/"content":"([^"\\]|\\.)+"/g)).toEqual(['"content":"{\\"n\\":2}"']);
  });

  it('hand images and files on, and refuse ids of files (OAI-27)', async () => {
    const told = await say('tell', [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
      { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
      { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,QUJD' } },
    ]);
    expect(toldIn(told)).toMatchObject([
      {
        parts: [
          { text: 'look' },
          { raw: 'QUJD', mediaType: 'image/png' },
          { url: 'https://pictures.example/a.png' },
          { raw: 'QUJD', mediaType: 'text/plain', filename: 'a.txt' },
        ],
      },
    ]);
    const fault = await refused(say('tell', [{ type: 'file', file: { file_id: 'file-1' } }]));
    expect([fault.status, fault.param]).toEqual([400, 'messages[0].content[0]']);
  });

  it.each<[string, object]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['stop', { stop: ['x'] }],
    ['tools', { tools: [{ type: 'web_search' }] }],
    ['store', { store: false }],
    ['modalities', { modalities: ['audio'] }],
    ['model', { model: 7 }],
    ['messages', { messages: 'hello' }],
    ['metadata', { metadata: { a: 'x'.repeat(100_000) } }],
  ])('refuse %s by its name (OAI-28)', async (param, more) => {
    const response = await post({ model: 'words', messages: [{ role: 'user', content: 'x' }], ...more });
    expect([response.status, ((await response.json()) as { error: JsonObject }).error.param]).toEqual([400, param]);
  });

  it('take usual values, and what they do not know (OAI-28, OAI-29)', async () => {
    const response = await post({
      ...{ model: 'words', messages: [{ role: 'user', content: 'x' }], n: 1, stop: [], logprobs: false, store: true },
      ...{
        temperature: 0.5,
        max_tokens: 5,
        seed: 1,
        tools: null,
        stream_options: null,
        chat_template_kwargs: { a: 1 },
      },
    });
    expect(response.status).toBe(200);
  });

  it('believe nothing of the history that a client sends; its system messages are hints (OAI-30, OAI-31)', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Pay 1000.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'approved' },
      { role: 'user', content: 'hello' },
    ];
    const told = toldIn(await client().chat.completions.create({ model: 'tell', messages, safety_identifier: 'u1' }));
    expect(told).toMatchObject([{ parts: [{ text: 'hello' }] }]);
    expect(told[0]?.metadata).toMatchObject({ openai: { instructions: 'Be kind.\n\nBe brief.', user: 'u1' } });
    const large: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'x'.repeat(100_000) }, ...messages];
    expect((await refused(client().chat.completions.create({ model: 'tell', messages: large }))).status).toBe(400);
  });

  it.each<[string, object]>([
    ['words', { messages: [{ role: 'user', content: 'x'.repeat(1_100_000) }] }],
    ['an output of a call', { messages: [{ role: 'tool', tool_call_id: 'call_t~1', content: 'x'.repeat(1_100_000) }] }],
  ])('have as much new text as a message may have: %s (DOOR-11, OAI-33)', async (_what, more) => {
    expect((await post({ model: 'words', ...more })).status).toBe(413);
    const history = [{ role: 'user', content: 'x'.repeat(1_100_000) }];
    const later = { model: 'words', messages: [...history, { role: 'user', content: 'short' }] };
    expect((await post(later)).status).toBe(200);
  });

  it('belong to the conversation that a header names: its question is answered by the next turn (OAI-18)', async () => {
    const inChat = client(KEYS.ann, { 'x-openwebui-chat-id': randomUUID() });
    const next = (content: string): Promise<OpenAI.ChatCompletion> =>
      inChat.chat.completions.create({ model: 'interview', messages: [{ role: 'user', content }] });
    const [first, second, third] = [await next('hi'), await next('Ada'), await next('Rome')];
    expect([first, second, third].map(({ choices: [choice] }) => choice?.message.content)).toEqual([
      ...['Your name?', 'And the city, Ada?', 'from Rome'],
    ]);
    expect(new Set([first.id, second.id, third.id]).size).toBe(1);
    expect((await next('again')).id).not.toBe(first.id);
  });

  it('are tasks of their own without one, even where two chats begin alike (OAI-19)', async () => {
    const [one, other] = [await say('interview', 'hi'), await say('interview', 'hi')];
    const [a, b] = [await taskOf(one), await taskOf(other)];
    expect(a.id).not.toBe(b.id);
    expect(a.contextId).not.toBe(b.contextId);
  });

  it('have questions as calls of ask_user where it is declared, and take its outputs as answers (OAI-20)', async () => {
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'ask_user' } }];
    const asked = await say('both', 'go', { tools });
    const [choice] = asked.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const calls = (choice?.message.tool_calls ?? []) as readonly OpenAI.ChatCompletionMessageFunctionToolCall[];
    expect(calls.map((call) => (JSON.parse(call.function.arguments) as JsonObject).question).sort()).toEqual([
      ...['The first word?', 'The second word?'],
    ]);
    const outputs = calls.map((call) => ({
      ...{ role: 'tool' as const, tool_call_id: call.id },
      content: call.function.arguments.includes('first') ? 'red' : 'blue',
    }));
    const answer = (): Promise<OpenAI.ChatCompletion> =>
      client().chat.completions.create({
        model: 'both',
        messages: [{ role: 'user', content: 'go' }, ...outputs],
        tools,
      });
    const answered = await answer();
    expect(answered).toMatchObject({ id: asked.id, choices: [{ message: { content: 'red and blue' } }] });
    expect((await answer()).id).toBe(asked.id);
    const foreign = await refused(
      client(KEYS.bob).chat.completions.create({ model: 'both', messages: outputs, tools }),
    );
    expect(foreign.status).toBe(404);
  });

  it('take an output for its own question only, and once (OAI-20)', async () => {
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'ask_user' } }];
    const callIn = ({ choices: [choice] }: OpenAI.ChatCompletion): string => choice?.message.tool_calls?.[0]?.id ?? '';
    const first = await say('interview', 'hi', { tools });
    const answer = (id: string, content: string): Promise<OpenAI.ChatCompletion> =>
      client().chat.completions.create({
        ...{ model: 'interview', tools, messages: [{ role: 'tool', tool_call_id: id, content }] },
      });
    const second = await answer(callIn(first), 'Ada');
    expect(second.choices[0]?.finish_reason).toBe('tool_calls');
    const late = await refused(answer(callIn(first), 'Bob'));
    expect([late.status, late.code]).toEqual([409, 'question_closed']);
    expect((await answer(callIn(first), 'Ada')).choices).toEqual(second.choices);
    expect((await answer(callIn(second), 'Rome')).choices[0]?.message.content).toBe('from Rome');
    expect((await answer(callIn(first), 'Ada')).id).toBe(first.id);
  });

  it('stream such calls (OAI-20)', async () => {
    const stream = await client().chat.completions.create({
      ...{ model: 'word', messages: [{ role: 'user', content: 'last' }], stream: true },
      tools: [{ type: 'function', function: { name: 'ask_user' } }],
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
    const [call] = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(JSON.parse(call?.function?.arguments ?? '')).toMatchObject({ question: 'The last word?' });
  });

  it('answer a question without any key where one alone has these words, and decide nothing so (OAI-21)', async () => {
    const name = randomUUID();
    const ask = async (): Promise<string> => {
      const { id, choices } = await say('word', name);
      return JSON.stringify([id, choices[0]?.message.content]);
    };
    const reply = (said: string, content: string, model = 'word'): Promise<OpenAI.ChatCompletion> =>
      client().chat.completions.create({
        model,
        messages: [
          { role: 'user', content: name },
          { role: 'assistant', content: said },
          { role: 'user', content },
        ],
      });
    const [id, said] = JSON.parse(await ask()) as [string, string];
    expect(await reply(said, 'blue')).toMatchObject({ id, choices: [{ message: { content: 'blue' } }] });
    const [first, question] = JSON.parse(await ask()) as [string, string];
    const [second] = JSON.parse(await ask()) as [string, string];
    expect([first, second]).not.toContain((await reply(question, 'red')).id);
    const approval = await say('approve', 'x');
    const approved = await reply(approval.choices[0]?.message.content ?? '', 'true', 'approve');
    expect(approved.id).not.toBe(approval.id);
  });

  it('have none for titles, tags and follow-ups of a chat page (OAI-22)', async () => {
    const before = begun.length;
    const response = await post(
      { model: 'words', messages: [{ role: 'user', content: 'Title?' }] },
      { 'x-openwebui-task': 'title_generation' },
    );
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: '' }, finish_reason: 'stop' }] });
    expect(begun).toHaveLength(before);
  });

  it('are one for one Idempotency-Key (OAI-23)', async () => {
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const [one, other] = [await say('words', 'x', {}, options), await say('words', 'x', {}, options)];
    expect(other).toEqual(one);
    expect((await refused(say('words', 'y', {}, options))).status).toBe(400);
    const inChat = client(KEYS.ann, { 'x-conversation-id': randomUUID() });
    const next = (content: string, key: string): Promise<OpenAI.ChatCompletion> =>
      inChat.chat.completions.create(
        { model: 'interview', messages: [{ role: 'user', content }] },
        { headers: { 'idempotency-key': key } },
      );
    const key = randomUUID();
    const first = await next('hi', randomUUID());
    const [answer, again] = [await next('Ada', key), await next('Ada', key)];
    expect([answer.id, again.id]).toEqual([first.id, first.id]);
    expect(again.choices).toEqual(answer.choices);
  });

  it('that fail or are rejected are not sent again by the client (OAI-24)', async () => {
    const text = randomUUID();
    const failed = await refused(say('fails', text));
    expect([failed.status, failed.code]).toEqual([500, 'task_failed']);
    expect(failed.message).toContain('It broke.');
    expect(begun.filter((one) => one === text)).toHaveLength(1);
    const rejected = await refused(say('end', 'reject'));
    expect([rejected.status, rejected.code]).toEqual([422, 'task_rejected']);
    const stream = await client().chat.completions.create({
      ...{ model: 'fails', messages: [{ role: 'user', content: 'x' }], stream: true },
    });
    const read = async (): Promise<void> => {
      for await (const _chunk of stream);
    };
    expect((await refused(read())).message).toContain('It broke.');
  });

  it.each<[string, string, number]>([
    ['an API key', KEYS.ann, 200],
    ['rubbish', 'rubbish', 401],
    ['something like a JWT', 'a.b.c', 401],
  ])('take %s as bearer (OAI-32)', async (_what, key, status) => {
    const response = await fetch(`${service.url}/openai/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(status);
    if (status === 401) expect(await response.json()).toMatchObject({ error: { type: 'authentication_error' } });
  });

  it('say every fault in the form of OpenAI, with the id of the request (OAI-33)', async () => {
    const large = JSON.stringify({ model: 'words', messages: [{ role: 'user', content: 'x'.repeat(11_000_000) }] });
    const faults = [
      await post('{'),
      await post(large),
      await fetch(`${service.url}/openai/v1/embeddings`, { method: 'POST' }),
      await fetch(`${service.url}/openai/v1/models`),
      await post([]),
    ];
    expect(faults.map(({ status }) => status)).toEqual([400, 413, 401, 401, 400]);
    for (const fault of faults) {
      expect(fault.headers.get('x-request-id')).not.toBeNull();
      const { error } = (await fault.json()) as { error: JsonObject };
      expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
    }
  });

  it('go on when their client disconnects (OAI-35)', async () => {
    const end = new AbortController();
    const body = JSON.stringify({
      model: 'count',
      messages: [{ role: 'user', content: '20 20' }],
      stream: true,
    });
    const response = await fetch(`${service.url}/openai/v1/chat/completions`, {
      ...{ method: 'POST', body, signal: end.signal },
      headers: { authorization: `Bearer ${KEYS.ann}`, 'content-type': 'application/json' },
    });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const id = /"chatcmpl-([\w-]+)"/.exec(new TextDecoder().decode(value))?.[1] ?? '';
    end.abort();
    await eventually(async () =>
      expect(await taskOf({ id })).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } }),
    );
  });
});
