import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, runApp } from '../kit/running-app.js';
import { aMessage, type RpcAnswer, RpcClient } from '../kit/rpc-client.js';
import { storedKeys } from '../kit/redis-keys.js';

let running: RunningApp;
let client: RpcClient;

beforeAll(async () => {
  running = await runApp();
  client = new RpcClient(running.url);
});

afterAll(async () => {
  await running.close();
});

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

  it('rejects a message for an unknown skill with a text that lists the skills (SEED-08)', async () => {
    const task = await client.task('SendMessage', aMessage('x', { skillId: 'nope' }));
    expect(task.status.state).toBe('TASK_STATE_REJECTED');
    expect(JSON.stringify(task.status.message)).toContain('countdown');
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
