import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { aMessage, type RpcAnswer, RpcClient } from '../../kit/callers/rpc-client.js';
import { storedKeys } from '../../kit/redis/redis-keys.js';

let running: RunningApp;
let client: RpcClient;

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** An envelope around the params of SendMessage with one field changed. */
function send(message: Record<string, unknown>): object {
  const sound = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
  return { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { ...sound, ...message } } };
}

async function answerTo(body: unknown): Promise<RpcAnswer> {
  const response = await client.post(body);
  expect(response.status).toBe(200);
  return (await response.json()) as RpcAnswer;
}

function violationsOf(answer: RpcAnswer): readonly string[] {
  return (answer.error?.data ?? []).flatMap((detail) => (detail.fieldViolations ?? []).map(({ field }) => field));
}

describe('bad input', () => {
  beforeAll(async () => {
    running = await runApp();
    client = new RpcClient(running.url);
  });

  afterAll(async () => {
    await running.close();
  });

  it.each<[string, unknown, number, unknown]>([
    ['not JSON (A2A-RPC-03)', '{"jsonrpc":', -32700, null],
    ['no jsonrpc (A2A-RPC-04)', { id: 1, method: 'GetTask', params: {} }, -32600, 1],
    ['a wrong jsonrpc (A2A-RPC-04)', { jsonrpc: '1.0', id: 1, method: 'GetTask' }, -32600, 1],
    ['no method (A2A-RPC-04)', { jsonrpc: '2.0', id: 1 }, -32600, 1],
    ['an object as id (A2A-RPC-04)', { jsonrpc: '2.0', id: {}, method: 'GetTask' }, -32600, null],
    ['no id (A2A-RPC-10)', { jsonrpc: '2.0', method: 'GetTask', params: { id: 'x' } }, -32600, null],
    ['a batch (A2A-RPC-11)', [{ jsonrpc: '2.0', id: 1, method: 'GetTask' }], -32600, null],
    ['params that are no object (A2A-RPC-04)', { jsonrpc: '2.0', id: 1, method: 'GetTask', params: [1] }, -32600, 1],
    ['id 0 echoed (A2A-RPC-10, TRAP-42)', { jsonrpc: '2.0', id: 0, method: 'Nope' }, -32601, 0],
    ['id "" echoed (A2A-RPC-10)', { jsonrpc: '2.0', id: '', method: 'Nope' }, -32601, ''],
    ['an unknown method (A2A-RPC-05, A2A-EXT-07)', { jsonrpc: '2.0', id: 1, method: 'Nope' }, -32601, 1],
    [
      'nesting of 200 levels',
      `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${'['.repeat(200)}${']'.repeat(200)}}`,
      -32600,
      null,
    ],
    ['a __proto__ member', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"__proto__":{"a":1}}}', -32600, null],
  ])('answers %s (SEED-04, TCK-01, TRAP-39, A2A-RPC-08, A2A-RPC-09)', async (_what, body, code, id) => {
    const answer = await answerTo(body);
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(answer.error?.data?.[0]?.['@type']).toBe('type.googleapis.com/google.rpc.ErrorInfo');
    expect(await storedKeys(running.keyPrefix)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['missing parts (A2A-JSON-05)', { parts: undefined }, 'message.parts'],
    ['empty parts', { parts: [] }, 'message.parts'],
    ['parts as a text', { parts: 'x' }, 'message.parts'],
    [
      'two contents in one part (A2A-JSON-06)',
      { parts: [{ text: 'x', url: 'https://example.com/' }] },
      'message.parts[0]',
    ],
    ['a part without content', { parts: [{ text: 'x' }, { metadata: {} }] }, 'message.parts[1]'],
    ['no messageId', { messageId: undefined }, 'message.messageId'],
    ['no role (A2A-SEND-24)', { role: 'ROLE_UNSPECIFIED' }, 'message.role'],
  ])(
    'names the field for %s (A2A-SEND-13, TCK-01, TRAP-39, A2A-RPC-06, A2A-ERR-03, A2A-IDEM-02)',
    async (_what, message, field) => {
      const answer = await answerTo(send(message));
      expect(answer.error?.code).toBe(-32602);
      expect(violationsOf(answer)).toContain(field);
      expect(await storedKeys(running.keyPrefix)).toEqual([]);
    },
  );

  it('finds no task of an unknown or malformed id (A2A-GET-01, TCK-03)', async () => {
    for (const id of [UNKNOWN, 'nope', '../etc', 'x'.repeat(200)]) {
      const answer = await client.call('GetTask', { id });
      expect(answer.error).toMatchObject({ code: -32001, message: 'Task not found' });
    }
    const continued = await client.call('SendMessage', aMessage('x', { taskId: UNKNOWN }));
    expect(continued.error?.code).toBe(-32001);
  });

  it('refuses a body of 2 MiB with 413 and stores nothing (A2A-SEC-02)', async () => {
    const before = await storedKeys(running.keyPrefix);
    const response = await client.post(send({ parts: [{ text: 'x'.repeat(2 * 1024 * 1024) }] }));
    expect(response.status).toBe(413);
    expect(((await response.json()) as RpcAnswer).error?.message).toContain('too large');
    expect(await storedKeys(running.keyPrefix)).toEqual(before);
  });

  it('takes a file of 2 MiB', async () => {
    const raw = Buffer.alloc(2 * 1024 * 1024, 'x').toString('base64');
    const answer = await answerTo(
      send({ parts: [{ raw, mediaType: 'application/pdf' }], metadata: { skillId: 'echo' } }),
    );
    expect(answer.error).toBeUndefined();
  });

  it('refuses other content types', async () => {
    const response = await client.post('hello', { 'content-type': 'text/plain' });
    expect(response.status).toBe(415);
  });

  it('refuses a message for an unknown skill with the ids of the skills, and stores nothing (F11)', async () => {
    const before = await storedKeys(running.keyPrefix);
    const { error } = await client.call('SendMessage', aMessage('x', { skillId: 'nope' }));
    expect(error).toMatchObject({
      code: -32602,
      data: [{ metadata: { skillIds: expect.stringMatching(/\becho\b/) } }, {}],
    });
    expect(violationsOf({ jsonrpc: '2.0', id: 1, ...(error && { error }) })).toEqual(['message.metadata.skillId']);
    expect(await storedKeys(running.keyPrefix)).toEqual(before);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no parts', { parts: undefined }, 'Invalid parameters: message.parts: is required'],
    ['no part', { parts: [] }, 'Invalid parameters: message.parts: is required'],
    ['no messageId', { messageId: undefined }, 'Invalid parameters: message.messageId: is required'],
    ['a number as messageId', { messageId: 7 }, 'Invalid parameters: message.messageId: must be a string'],
    [
      'a line break in messageId',
      { messageId: 'a\nb' },
      'Invalid parameters: message.messageId: must have no control characters',
    ],
    [
      'a role of 0.3',
      { role: 'user' },
      'Invalid parameters: message.role: "user" is of A2A 0.3 and before: in 1.0 it is ROLE_USER; for a message of A2A 0.3 call message/send or POST /v1/message:send',
    ],
  ])('says what is wrong with %s, once (F10)', async (_what, message, text) => {
    const { error } = await answerTo(send(message));
    expect(error).toMatchObject({ code: -32602, message: text });
    expect(error?.data?.flatMap(({ fieldViolations = [] }) => fieldViolations)).toHaveLength(1);
  });

  it('takes a messageId of any script (F10)', async () => {
    const messageId = `ü ${'字'.repeat(200)}`;
    const task = await client.task('SendMessage', aMessage('x', { skillId: 'echo', messageId }));
    expect(task.history?.[0]?.messageId).toBe(messageId);
  });

  it('refuses half a character and stores nothing (F7)', async () => {
    const before = await storedKeys(running.keyPrefix);
    const { error } = await answerTo(send({ parts: [{ text: 'a\ud800b' }] }));
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('surrogate') });
    expect(await storedKeys(running.keyPrefix)).toEqual(before);
  });

  it('takes empty ids as none: each message begins a context of its own (M2)', async () => {
    const [one, two] = await Promise.all(
      ['a', 'b'].map((text) =>
        client.task('SendMessage', aMessage(text, { skillId: 'echo', contextId: '', taskId: '' })),
      ),
    );
    expect(one?.contextId).toMatch(/^[0-9a-f-]{36}$/);
    expect(two?.contextId).not.toBe(one?.contextId);
  });

  it('refuses a message to a finished task and leaves it as it is (A2A-SEND-06, TCK-03, TRAP-47)', async () => {
    const task = await client.task('SendMessage', aMessage('x', { skillId: 'echo' }));
    const answer = await client.call('SendMessage', aMessage('again', { taskId: task.id }));
    expect(answer.error?.code).toBe(-32004);
    expect(await client.task('GetTask', { id: task.id })).toEqual(task);
  });

  it("refuses a context that is not the task's (A2A-SEND-08, TCK-03)", async () => {
    const params = { ...aMessage('60', { skillId: 'countdown' }), configuration: { returnImmediately: true } };
    const task = await client.task('SendMessage', params);
    const answer = await client.call('SendMessage', aMessage('x', { taskId: task.id, contextId: 'another' }));
    expect(answer.error?.code).toBe(-32602);
    expect(violationsOf(answer)).toEqual(['message.contextId']);
    await client.task('CancelTask', { id: task.id });
  });

  it('stays up', async () => {
    expect((await fetch(`${running.url}/health/ready`)).status).toBe(200);
  });
});
