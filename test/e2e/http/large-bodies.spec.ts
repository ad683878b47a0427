import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/eventually.js';
import { aMessage, RpcClient } from '../../kit/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/running-app.js';
import { SCRIPTED } from '../../kit/scripted.skill.js';

const MIB = 1_048_576;
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
const API_KEYS = ['alice', 'bob'].map((name) => apiKeyEntry(`${name}.secret`, { tenant: name, scopes: SCOPES }));
const large = 'x'.repeat(300_000);

describe('large bodies', () => {
  let service: RunningApp;
  let alice: RpcClient;
  let bob: RpcClient;

  beforeAll(async () => {
    const quotas = { QUOTA_BYTES_CLIENT: String(4 * MIB), QUOTA_BYTES_TENANT: String(8 * MIB) };
    const variables = { API_KEYS: API_KEYS.join('\n'), DEFAULT_SKILL: 'scripted', WORKER_CONCURRENCY: '20' };
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
    const answer = await announced(5 * MIB);
    expect(answer).toContain('HTTP/1.1 429');
    expect(answer).toMatch(/retry-after: \d+/i);
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
