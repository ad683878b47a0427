import { randomUUID } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Share } from '../../../src/platform/traffic/budget.js';
import { TrafficBudgets } from '../../../src/limits/quotas/traffic-budgets.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RawSocket } from '../../kit/callers/raw-socket.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const MIB = 1_048_576;
/** More than the buffers of a connection take that is not read. */
const TEXT = Buffer.alloc(6.5 * MIB, 'large ').toString('base64');
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.observe a2a:tasks.content';
const KEYS = ['greedy', 'modest'].map((tenant) => apiKeyEntry(`${tenant}.secret`, { tenant, scopes: SCOPES }));
const GREEDY = JSON.stringify(['greedy', 'greedy']);

type Sent = readonly [target: string, body?: unknown, version?: string];

describe('large answers that their readers do not take', () => {
  let service: RunningApp;
  let budgets: TrafficBudgets;
  let id = '';
  const open: Socket[] = [];
  const shares: Share[] = [];

  async function send(key: string, parts: readonly unknown[], more = {}): Promise<{ id: string }> {
    const body = JSON.stringify({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...more } });
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': `${key}.secret` };
    const response = await fetch(`${service.url}/message:send`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    return ((await response.json()) as { task: { id: string } }).task;
  }

  beforeAll(async () => {
    service = await runApp({ API_KEYS: KEYS.join('\n'), GRPC_PORT: '0' });
    budgets = service.app.get(TrafficBudgets, { strict: false });
    const metadata = { skillId: 'approve_payment' };
    ({ id } = await send('greedy', [{ data: { invoiceNumber: 'H1', total: 5 } }], { metadata }));
    await send('greedy', [{ raw: TEXT, mediaType: 'text/plain' }], { taskId: id });
  });
  afterAll(() => service.close());
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    for (const share of shares.splice(0)) share.free();
    await eventually(() => expect(budgets.answers.taken).toBe(0));
  });

  /** A call whose answer is not read. */
  function unread([target, body, version = '1.0']: Sent): Socket {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
    open.push(socket);
    const json = body === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: 1, ...(body as object) });
    const head = [`${json === '' ? 'GET' : 'POST'} ${target} HTTP/1.1`, 'Host: localhost', 'X-Api-Key: greedy.secret'];
    head.push(`A2A-Version: ${version}`, 'Content-Type: application/json', `Content-Length: ${String(json.length)}`);
    socket.write([...head, '', json].join('\r\n'));
    return socket;
  }

  async function statusOf(key: string, target: string): Promise<number> {
    const headers = { 'a2a-version': '1.0', 'x-api-key': `${key}.secret` };
    const response = await fetch(`${service.url}${target}`, { headers });
    await response.arrayBuffer();
    return response.status;
  }

  const WAYS: Readonly<Record<string, () => Sent>> = {
    'GetTask, JSON-RPC': () => ['/', { method: 'GetTask', params: { id } }],
    'GetTask, HTTP+JSON': () => [`/tasks/${id}`],
    'GetTask of 0.3': () => ['/', { method: 'tasks/get', params: { id } }, '0.3'],
    ListTasks: () => ['/tasks?historyLength=10&includeArtifacts=true'],
    SubscribeToTask: () => ['/', { method: 'SubscribeToTask', params: { id } }],
    'the bundle with content': () => [`/console/api/tasks/${id}/bundle/content`],
  };

  it.each(Object.keys(WAYS))('count until they are taken or their reader has gone: %s (A1, I15)', async (way) => {
    const sent = WAYS[way]?.() ?? [''];
    const socket = unread(sent);
    await eventually(() => expect(budgets.answers.taken).toBeGreaterThan(8 * MIB));
    expect(await statusOf('modest', '/tasks')).toBe(200);
    expect(budgets.answers.taken).toBeGreaterThan(8 * MIB);
    socket.destroy();
    await eventually(() => expect(budgets.answers.taken).toBe(0));
    unread(sent).resume();
    await eventually(() => expect(budgets.answers.taken).toBeGreaterThan(8 * MIB));
    if (way !== 'SubscribeToTask') await eventually(() => expect(budgets.answers.taken).toBe(0));
  });

  it('count over gRPC (A1, I15)', async () => {
    const session = connectHttp2(`http://${service.grpc ?? ''}`);
    const path = '/lf.a2a.v1.A2AService/GetTask';
    const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    const stream = session.request({ ...head, 'x-api-key': 'greedy.secret', 'a2a-version': '1.0' });
    // GetTaskRequest { id = 2 }, before it five bytes: not compressed, and its length.
    stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, id.length + 2, 18, id.length]), Buffer.from(id)]));
    await eventually(() => expect(budgets.answers.taken).toBeGreaterThan(8 * MIB));
    expect(await statusOf('modest', '/tasks')).toBe(200);
    expect(budgets.answers.taken).toBeGreaterThan(8 * MIB);
    session.destroy();
  });

  it('take no more than the share of their client, while small answers and those of others are read (A1, I15)', async () => {
    const [own, other] = await Promise.all(['greedy', 'modest'].map((key) => send(key, [{ text: 'hello' }])));
    const before = budgets.answers.tryTake(GREEDY, 10_000 * MIB);
    if (before !== undefined) shares.push(before);
    const { taken } = budgets.answers;
    const refused = await RawSocket.open(Number(new URL(service.url).port));
    open.push(refused.socket);
    refused.write(`GET /tasks/${id} HTTP/1.1\r\nHost: a\r\nX-Api-Key: greedy.secret\r\nA2A-Version: 1.0\r\n\r\n`);
    for (let n = 0; n < 20; n += 1) unread([`/tasks/${id}`]);
    expect(await statusOf('greedy', `/tasks/${own?.id ?? ''}`)).toBe(200);
    expect(await statusOf('modest', `/tasks/${other?.id ?? ''}`)).toBe(200);
    await eventually(() => expect(refused.text).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: \d+/i), {
      timeoutMs: 15_000,
    });
    expect(budgets.answers.taken).toBe(taken);
  });
});
