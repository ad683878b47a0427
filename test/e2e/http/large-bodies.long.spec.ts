import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LargeMessages } from '../../../src/operations/send/large-messages.js';
import type { Principal } from '../../../src/auth/principal.js';
import { inputRequired } from '@parley/sdk/skill/events.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { readExposition } from '../../kit/checks/exposition.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';

const MIB = 1_048_576;
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
const API_KEYS = ['alice', 'bob', 'carol'].map((name) =>
  apiKeyEntry(`${name}.secret`, { tenant: name, scopes: SCOPES }),
);
const large = 'x'.repeat(300_000);

describe('large bodies', () => {
  let service: RunningApp;
  let alice: RpcClient;
  let bob: RpcClient;

  beforeAll(async () => {
    const quotas = { QUOTA_BYTES_CLIENT: String(4 * MIB), QUOTA_BYTES_TENANT: String(8 * MIB) };
    const variables = {
      GRPC_PORT: '0',
      API_KEYS: API_KEYS.join('\n'),
      DEFAULT_SKILL: 'scripted',
      WORKER_CONCURRENCY: '20',
    };
    service = await runApp({ ...variables, ...quotas }, SCRIPTED);
    [alice, bob] = ['alice', 'bob'].map((name) => new RpcClient(service.url, { 'x-api-key': `${name}.secret` })) as [
      RpcClient,
      RpcClient,
    ];
  });
  afterAll(() => service.close());

  /** Announces a body and sends none of it; gives the head of the answer. */
  async function announced(bytes: number): Promise<string> {
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
    try {
      return await new Promise((resolve, reject) => {
        socket.once('data', (data) => resolve(data.toString()));
        socket.once('error', reject);
        const head = ['POST / HTTP/1.1', `host: ${hostname}`, 'content-type: application/json', 'a2a-version: 1.0'];
        const rest = ['x-api-key: alice.secret', `content-length: ${String(bytes)}`, '', ''];
        socket.write([...head, ...rest].join('\r\n'));
      });
    } finally {
      socket.destroy();
    }
  }

  it('are refused before they are read where they would not be stored (C3)', async () => {
    // One of a client is read: it may repeat a message that was accepted.
    const params = aMessage('', { parts: [{ raw: 'A'.repeat(5 * MIB), mediaType: 'text/plain' }] });
    const read = await alice.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    expect([read.status, await read.text()]).toEqual([429, expect.stringContaining('stored bytes')]);
    const answer = await announced(5 * MIB);
    expect(answer).toContain('HTTP/1.1 429');
    expect(answer).toMatch(/retry-after: \d+/i);
    const metrics = readExposition(await (await fetch(`${service.url}/metrics`)).text());
    // The one that was read was refused when it was to be stored.
    expect(metrics.value('a2a_limit_hits_total', { limit: 'stored-bytes' })).toBe(2);
  });

  it('do not wait for the tasks of those before them, only until these are stored', async () => {
    const script = [{ kind: 'wait', ms: 60_000 }];
    const ids = Array.from({ length: 4 }, (_unused, at) => `large-${String(at)}`);
    const calls = ids.map((messageId) =>
      alice.task('SendMessage', aMessage(large, { messageId, metadata: { script } })),
    );
    const working = async (): Promise<readonly string[]> => {
      const { result } = await alice.call('ListTasks', { status: 'TASK_STATE_WORKING' });
      return (result?.tasks as readonly { id: string }[]).map(({ id }) => id);
    };
    await eventually(async () => expect(await working()).toHaveLength(4));
    expect((await bob.task('SendMessage', aMessage('small'))).status.state).toBe('TASK_STATE_COMPLETED');
    for (const id of await working()) await alice.task('CancelTask', { id });
    const states = (await Promise.all(calls)).map(({ status }) => status.state);
    expect(states).toEqual(calls.map(() => 'TASK_STATE_CANCELED'));
  });

  /** A message of 1.0 as the SDK's codec of gRPC has it. */
  function grpcMessage(text: string): object {
    const parts = [{ content: { $case: 'text', value: text }, filename: '', mediaType: '' }];
    const message = { messageId: randomUUID(), contextId: '', taskId: '', role: 1, parts };
    return { tenant: '', message: { ...message, extensions: [], referenceTaskIds: [] } };
  }

  it('take turns over gRPC, too, and get RESOURCE_EXHAUSTED when theirs does not come (I12)', async () => {
    const principal: Principal = { tenant: 'bob', client: 'bob', scopes: 'all', method: 'api-key' };
    const headers = { 'a2a-version': '1.0', 'x-api-key': 'bob.secret' };
    const grpc = new GrpcClient(service.grpc ?? '', A2AService, headers);
    try {
      const leave = await service.app.get(LargeMessages, { strict: false }).enter(principal, MIB);
      const refused = grpc.call('sendMessage', grpcMessage(large));
      expect((await grpc.call('sendMessage', grpcMessage('small'))).payload.$case).toBe('task');
      await expect(refused).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
      leave();
      expect((await grpc.call('sendMessage', grpcMessage(large))).payload.$case).toBe('task');
      expect(await grpc.stream('sendStreamingMessage', grpcMessage(large)).toArray()).not.toHaveLength(0);
    } finally {
      grpc.close();
    }
  });

  it('that repeat an accepted one get its task, though there is no room for another', async () => {
    const carol = new RpcClient(service.url, { 'x-api-key': 'carol.secret' });
    const script = [inputRequired('Which one?')];
    const first = aMessage(large, { metadata: { script } });
    const { id } = await carol.task('SendMessage', first);
    const metadata = { script: [{ kind: 'wait', ms: 60_000 }] };
    const configuration = { returnImmediately: true };
    const next = { ...aMessage('y'.repeat(200_000), { taskId: id, metadata }), configuration };
    await carol.task('SendMessage', next);
    const filler = (): Promise<Response> =>
      carol.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('z'.repeat(200_000)) });
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 40) statuses.push((await filler()).status);
    expect(statuses.at(-1)).toBe(429);

    expect((await carol.task('SendMessage', { ...first, configuration })).id).toBe(id);
    expect((await carol.task('SendMessage', next)).id).toBe(id);
    const changed = { configuration, message: { ...next.message, parts: [{ text: `w${'y'.repeat(199_999)}` }] } };
    await expect(carol.task('SendMessage', changed)).rejects.toThrow('messageId');
    await expect(carol.task('SendMessage', aMessage(large))).rejects.toThrow('stored bytes');
    await carol.task('CancelTask', { id });
  });

  it('of a refused call and of one without a length leave their places', async () => {
    for (let n = 0; n < 4; n += 1) {
      const refused = await alice.post(`{"jsonrpc":"2.0","id":1,"method":"Nothing","params":{"a":"${large}"}}`);
      expect(((await refused.json()) as { error: { code: number } }).error.code).toBe(-32601);
    }
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('in pieces') });
    for (let n = 0; n < 4; n += 1) {
      const answer = await fetch(service.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': 'bob.secret' },
        body: new Blob([text]).stream(),
        duplex: 'half',
      });
      expect(answer.status).toBe(200);
    }
  });
});
