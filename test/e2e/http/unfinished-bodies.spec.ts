import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import { connect } from 'node:net';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Share } from '../../../src/platform/traffic/budget.js';
import { TrafficBudgets } from '../../../src/limits/quotas/traffic-budgets.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RawSocket } from '../../kit/callers/raw-socket.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const MIB = 1_048_576;
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.observe a2a:registry.register';
const KEYS = ['greedy', 'modest', 'none'].map((tenant) =>
  apiKeyEntry(`${tenant}.secret`, { tenant, scopes: tenant === 'none' ? 'a2a:none' : SCOPES }),
);
const PATHS = [
  ...[
    '/',
    '/a2a',
    '/run',
    '/mcp',
    '/message:send',
    '/v1/message:stream',
    '/tasks/x:cancel',
    '/console/api/tasks/x/cancel',
  ],
  ...['/registry/entries', '/nothing/here'],
];

/** The first half of a message. */
function messageOver(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({
    ...{ ':method': 'POST', ':path': '/lf.a2a.v1.A2AService/SendMessage', 'content-type': 'application/grpc' },
    ...{ te: 'trailers', 'x-api-key': 'greedy.secret', 'a2a-version': '1.0' },
  });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(2 * MIB, 1);
  stream
    .resume()
    .on('error', () => undefined)
    .write(Buffer.concat([head, Buffer.alloc(MIB)]));
  return stream;
}

describe('bodies that are under way', () => {
  let service: RunningApp;
  let budgets: TrafficBudgets;
  let port: number;

  beforeAll(async () => {
    const SECRET_KEYS = `k1:${Buffer.alloc(32, 'k').toString('base64')}`;
    service = await runApp({ API_KEYS: KEYS.join('\n'), GRPC_PORT: '0', MCP: 'true', REGISTRY: 'true', SECRET_KEYS });
    budgets = service.app.get(TrafficBudgets, { strict: false });
    port = Number(new URL(service.url).port);
  });
  afterAll(() => service.close());

  async function began(path: string, key: string, length: string): Promise<RawSocket> {
    const socket = await RawSocket.open(port);
    const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', `X-Api-Key: ${key}.secret`, 'A2A-Version: 1.0'];
    return socket.write([...head, 'Content-Type: application/json', length, '', ''].join('\r\n'));
  }

  const allGivenBack = (): Promise<void> => eventually(() => expect(budgets.bodies.taken).toBe(0));

  it.each(PATHS)('count before they are read, and no more when their caller has gone: %s (A0, I15)', async (path) => {
    const socket = await began(path, 'greedy', `Content-Length: ${String(5 * MIB)}`);
    await eventually(() => expect(budgets.bodies.taken).toBe(5 * MIB));
    socket.socket.destroy();
    await allGivenBack();
  });

  it.each(PATHS)('count as they come where they state no length: %s (A0, I15)', async (path) => {
    const socket = await began(path, 'greedy', 'Transfer-Encoding: chunked');
    socket
      .write(`${MIB.toString(16)}\r\n`)
      .write(Buffer.alloc(MIB, ' '))
      .write('\r\n');
    await eventually(() => expect(budgets.bodies.taken).toBeGreaterThanOrEqual(MIB));
    socket.socket.destroy();
    await allGivenBack();
  });

  it.each(PATHS)('of a caller without a scope of the path are refused before they are read: %s (A0)', async (path) => {
    const stated = await began(path, 'none', `Content-Length: ${String(5 * MIB)}`);
    await eventually(() => expect(stated.statuses).toEqual([403]));
    const chunked = await began(path, 'none', 'Transfer-Encoding: chunked');
    chunked
      .write(`${MIB.toString(16)}\r\n`)
      .write(Buffer.alloc(MIB, ' '))
      .write('\r\n');
    await eventually(() => expect(chunked.statuses).toEqual([403]));
    for (const { socket } of [stated, chunked]) socket.destroy();
    await allGivenBack();
  });

  describe('beyond the share of a client', () => {
    let share: Share | undefined;
    beforeEach(() => {
      share = budgets.bodies.tryTake(JSON.stringify(['greedy', 'greedy']), 10_000 * MIB);
    });
    afterEach(() => share?.free());

    it('wait, are refused with 429 in the form of the binding, and others are served (A0)', async () => {
      const refused = await began('/message:send', 'greedy', 'Transfer-Encoding: chunked');
      const isRefused = /^HTTP\/1\.1 429 [^]*retry-after: \d+[^]*RESOURCE_EXHAUSTED/i;
      const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } });
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': 'modest.secret' };
      expect((await fetch(`${service.url}/message:send`, { method: 'POST', headers, body })).status).toBe(200);
      await eventually(() => expect(refused.text).toMatch(isRefused), { timeoutMs: 15_000 });
      refused.socket.destroy();
    });

    it('are refused over gRPC with RESOURCE_EXHAUSTED, and their stream is closed (A0)', async () => {
      const session = connectHttp2(`http://${service.grpc ?? ''}`);
      const refused = messageOver(session);
      const [headers] = (await once(refused, 'response')) as [Record<string, string>];
      expect([Number(headers['grpc-status']), headers['retry-after']]).toEqual([status.RESOURCE_EXHAUSTED, '5']);
      if (!refused.closed) await once(refused, 'close');
      session.destroy();
    });
  });

  it('count over gRPC as they come (A0, I15)', async () => {
    const session = connectHttp2(`http://${service.grpc ?? ''}`);
    const stream = messageOver(session);
    await eventually(() => expect(budgets.bodies.taken).toBe(MIB + 5));
    stream.destroy();
    await allGivenBack();
    session.destroy();
  });

  it('of strangers are refused without a count', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(MIB)}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('HTTP/1.1 401');
    expect(budgets.bodies.taken).toBe(0);
    socket.destroy();
  });
});
