import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { begun, CHAT_SKILLS } from './skills.js';

const KEYS = { ann: 'ann.0123456789abcdef', eve: 'eve.0123456789abcdef' };
const WORDS = ['one two three', 'The end.', '[a\\[1\\].pdf](https://files.example/a%20b.pdf)'];

type Response = OpenAI.Responses.Response;
type Event = OpenAI.Responses.ResponseStreamEvent;

describe('responses of a client of OpenAI', () => {
  let services: readonly RunningApp[];
  let rpc: RpcClient;

  beforeAll(async () => {
    const scopes = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
    const entries = Object.entries(KEYS).map(([tenant, key]) => apiKeyEntry(key, { tenant, scopes }));
    const variables = { OPENAI: 'true', API_KEYS: entries.join('\n'), KEY_PREFIX: `test-${randomUUID()}` };
    services = [await runApp(variables, { skills: CHAT_SKILLS }), await runApp(variables, { skills: CHAT_SKILLS })];
    rpc = new RpcClient(services[0]?.url ?? '', { 'x-api-key': KEYS.ann });
  });
  afterAll(() => Promise.all(services.map((service) => service.close())));

  const client = (key = KEYS.ann, replica = 0): OpenAI =>
    new OpenAI({ baseURL: `${services[replica]?.url ?? ''}/openai/v1`, apiKey: key });
  const create = (model: string, input: string, more: object = {}): Promise<Response> =>
    client().responses.create({ model, input, ...more });
  const eventsOf = async (model: string, input: string, more: object = {}): Promise<readonly Event[]> => {
    const events: Event[] = [];
    for await (const event of await client().responses.create({ model, input, stream: true, ...more }))
      events.push(event);
    return events;
  };
  const statusOf = async (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => 200,
      (error: unknown) => (error instanceof OpenAI.APIError ? [error.status, error.code] : error),
    );
  const textsOf = ({ output }: Pick<Response, 'output'>): readonly unknown[] =>
    output.map((item) =>
      item.type === 'message' ? item.content.map((part) => ('text' in part ? part.text : '')).join('') : item,
    );
  const taskIdOf = ({ id }: Pick<Response, 'id'>): string => id.split('_')[1] ?? '';

  it('have the artifacts of a task as items, and are found by their id at any replica (OAI-05, OAI-07)', async () => {
    const response = await create('words', 'one two three', { metadata: { a: 'b' }, instructions: 'Be kind.' });
    expect(response).toMatchObject({
      ...{
        object: 'response',
        status: 'completed',
        model: 'words',
        error: null,
        incomplete_details: null,
        usage: null,
      },
      ...{ instructions: 'Be kind.', metadata: { a: 'b' }, parallel_tool_calls: true, tools: [], tool_choice: 'auto' },
    });
    expect(textsOf(response)).toEqual(WORDS);
    expect(response.output_text).toBe(WORDS.join(''));
    const found = await client(KEYS.ann, 1).responses.retrieve(response.id);
    expect(found.output).toEqual(response.output);
    expect(found).toMatchObject({ id: response.id, status: 'completed', model: 'words' });
    const task = (await rpc.call('GetTask', { id: taskIdOf(response) })).result;
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('stream events in their order, which make the same object (OAI-06)', async () => {
    const stream = client().responses.stream({ model: 'words', input: 'one two three' });
    const types: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      types.push(event.type);
      numbers.push(event.sequence_number);
    }
    const final = await stream.finalResponse();
    expect(types.slice(0, 5)).toEqual([
      ...['response.created', 'response.in_progress', 'response.output_item.added'],
      ...['response.content_part.added', 'response.output_text.delta'],
    ]);
    expect(types.slice(-4)).toEqual([
      ...['response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed'],
    ]);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    const retrieved = await client().responses.retrieve(final.id);
    expect(textsOf(final)).toEqual(WORDS);
    expect(final.output.map(({ id }) => id)).toEqual(retrieved.output.map(({ id }) => id));
  });

  it('go on in the background, and are polled (OAI-10)', async () => {
    const begunAt = await create('count', '20 20', { background: true });
    expect(['queued', 'in_progress']).toContain(begunAt.status);
    await eventually(async () => {
      const now = await client(KEYS.ann, 1).responses.retrieve(begunAt.id);
      expect(now.status).toBe('completed');
      expect(now.output_text).toContain('19;');
    });
  });

  it('are canceled once, and found as they are afterwards (OAI-13)', async () => {
    const running = await create('count', '500 20', { background: true });
    expect(await client().responses.cancel(running.id)).toMatchObject({ id: running.id, status: 'cancelled' });
    expect(await client().responses.cancel(running.id)).toMatchObject({ status: 'cancelled' });
    const asked = await create('interview', 'hi');
    const next = await create('interview', 'Ada', { previous_response_id: asked.id });
    expect(await client().responses.cancel(asked.id)).toMatchObject({ id: asked.id, status: 'completed' });
    expect(await client().responses.retrieve(next.id)).toMatchObject({ status: 'completed' });
    const ended = await create('words', 'x');
    expect(await client().responses.cancel(ended.id)).toMatchObject({ status: 'completed' });
    expect(await statusOf(client(KEYS.eve).responses.cancel(ended.id))).toEqual([404, null]);
  });

  it('are the answer to the question of the one before, which keeps its place (OAI-14, OAI-16)', async () => {
    const first = await create('interview', 'hi');
    expect([first.status, textsOf(first)]).toEqual(['completed', ['Your name?']]);
    const second = await create('interview', 'Ada', { previous_response_id: first.id });
    const third = await create('interview', 'Rome', { previous_response_id: second.id });
    expect([textsOf(second), textsOf(third)]).toEqual([['And the city, Ada?'], ['from Rome']]);
    expect([first, second, third].map(({ id }) => id)).toEqual(
      [1, 2, 3].map((turn) => `resp_${taskIdOf(first)}_${String(turn)}`),
    );
    expect(textsOf(await client().responses.retrieve(second.id))).toEqual(['And the city, Ada?']);
    const items = await client().responses.inputItems.list(second.id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Ada' }] },
    ]);
  });

  it('are one for one Idempotency-Key, also as an answer; no two follow one (OAI-23)', async () => {
    const first = await create('interview', 'hi');
    const answer = (text: string, key: string): Promise<Response> =>
      client().responses.create(
        { model: 'interview', input: text, previous_response_id: first.id },
        { headers: { 'idempotency-key': key } },
      );
    const key = randomUUID();
    const [one, other] = [await answer('Ada', key), await answer('Ada', key)];
    expect(textsOf(other)).toEqual(textsOf(one));
    expect(await statusOf(answer('Ada', randomUUID()))).toEqual([409, 'response_followed']);
    await create('interview', 'Rome', { previous_response_id: one.id });
    // The task has gone on: the response is that of its turn, whole or as a stream.
    const late = await answer('Ada', key);
    expect([late.id, textsOf(late)]).toEqual([one.id, textsOf(one)]);
    const streamed = await client().responses.create(
      { model: 'interview', input: 'Ada', previous_response_id: first.id, stream: true },
      { headers: { 'idempotency-key': key } },
    );
    const events: Event[] = [];
    for await (const event of streamed) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: one.id } });
    expect(await statusOf(answer('Eve', key))).toEqual([400, null]);
  });

  it('begin another task in the same context behind one that has ended (OAI-15)', async () => {
    const first = await create('words', 'one');
    const second = await create('words', 'two', { previous_response_id: first.id });
    const taskOf = async (response: Response): Promise<JsonObject> =>
      (await rpc.call('GetTask', { id: taskIdOf(response) })).result as JsonObject;
    const [one, two] = [await taskOf(first), await taskOf(second)];
    expect(two.id).not.toBe(one.id);
    expect(two.contextId).toBe(one.contextId);
    expect((two.history as readonly JsonObject[])[0]).toMatchObject({ referenceTaskIds: [one.id] });
    const inOne = await create('words', 'three', { conversation: 'c1' });
    const inOther = await create('words', 'four', { conversation: { id: 'c1' } });
    expect((await taskOf(inOne)).contextId).toBe((await taskOf(inOther)).contextId);
  });

  it('do not follow one that runs (OAI-17)', async () => {
    const running = await create('count', '200 20', { background: true });
    const before = begun.length;
    expect(await statusOf(create('words', 'x', { previous_response_id: running.id }))).toEqual([409, 'task_running']);
    expect(begun).toHaveLength(before);
    await client().responses.cancel(running.id);
  });

  it('have questions as calls of ask_user, in a stream too (OAI-20)', async () => {
    const tools = [{ type: 'function', name: 'ask_user', parameters: null, strict: false }] as const;
    const asked = await create('both', 'go', { tools });
    const calls = asked.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    expect(calls.map((call) => (JSON.parse(call.arguments) as JsonObject).question).sort()).toEqual([
      ...['The first word?', 'The second word?'],
    ]);
    const input = calls.map((call) => ({
      ...{ type: 'function_call_output' as const, call_id: call.call_id },
      output: call.arguments.includes('first') ? 'red' : 'blue',
    }));
    const answered = await client().responses.create({ model: 'both', input, previous_response_id: asked.id });
    expect(textsOf(answered)).toEqual(['red and blue']);
    const events = await eventsOf('word', 'last', { tools });
    expect(events.map(({ type }) => type)).toEqual([
      ...['response.created', 'response.in_progress', 'response.output_item.added'],
      ...['response.function_call_arguments.delta', 'response.function_call_arguments.done'],
      ...['response.output_item.done', 'response.completed'],
    ]);
  });

  it('say how a task failed, and are not asked again (OAI-24)', async () => {
    const text = randomUUID();
    expect(await create('fails', text)).toMatchObject({ status: 'failed', error: { message: 'It broke.' } });
    expect(begun.filter((one) => one === text)).toHaveLength(1);
    expect(await create('end', 'reject')).toMatchObject({ status: 'failed', error: { code: 'task_rejected' } });
    const events = await eventsOf('fails', 'x');
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error: { message: 'It broke.' } } });
  });

  it('fit text.format, or fail (OAI-26)', async () => {
    const format = (type: string): object => ({
      text: {
        format: {
          ...{ type: 'json_schema', name: 'x', strict: true },
          schema: { type: 'object', properties: { n: { type } }, required: ['n'] },
        },
      },
    });
    expect((await create('double', '{"n": 2}', format('integer'))).output_text).toBe('{"n":4}');
    expect(await create('double', '{"n": 2}', format('string'))).toMatchObject({
      ...{ status: 'failed', error: { code: 'output_schema_mismatch' } },
    });
    expect(await statusOf(create('words', 'x', format('integer')))).toEqual([400, null]);
    const events = await eventsOf('double', '{"n": 2}', format('integer'));
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toMatchObject([{ delta: '{"n":4}' }]);
  });

  it('refuse what they do not have, and know no id of others (OAI-28, OAI-34)', async () => {
    expect(await statusOf(create('words', 'x', { store: false }))).toEqual([400, null]);
    expect(await statusOf(client().responses.retrieve('resp_a_1', { stream: true }))).toEqual([400, null]);
    expect(await statusOf(create('words', 'x', { tools: [{ type: 'web_search' }] }))).toEqual([400, null]);
    const { id } = await create('words', 'x');
    const answers = [id, `${id.slice(0, -6)}0000_1`, 'resp_x', taskIdOf({ id })].map(async (one) => {
      const response = await fetch(`${services[0]?.url ?? ''}/openai/v1/responses/${one}`, {
        headers: { authorization: `Bearer ${KEYS.eve}` },
      });
      return `${String(response.status)} ${await response.text()}`;
    });
    expect(new Set(await Promise.all(answers)).size).toBe(1);
  });
});
