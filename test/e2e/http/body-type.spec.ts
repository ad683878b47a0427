import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RawAnswer, rawHttp } from '../../kit/auth/raw-http.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

let running: RunningApp;
let port: number;

const body = (): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('hello', { skillId: 'echo' }) });

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const TEXT = ['Content-Type', 'text/plain'] as const;

/** An ended task, which cannot be canceled: what a call without a body says shows that it was read. */
async function cancelPath(): Promise<string> {
  const { id } = await new RpcClient(running.url).task('SendMessage', aMessage('hi', { skillId: 'echo' }));
  return `/tasks/${id}:cancel`;
}

async function chunked(path: string, type: string, chunks: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nConnection: close\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked`;
  socket.write(`${head}\r\n\r\n${chunks}0\r\n\r\n`);
  await once(socket, 'close');
  return text;
}

describe('the type of a body', () => {
  beforeAll(async () => {
    running = await runApp();
    port = Number(new URL(running.url).port);
  });

  afterAll(() => running.close());

  it.each(['text/plain', 'image/png', 'no type at all', 'application/xml; charset=utf-8'])(
    'is not judged where the body is empty: %s (B16, RFC 9110 §8.3)',
    async (type) => {
      const path = await cancelPath();
      const headers = [['A2A-Version', '1.0'] as const, ['Content-Type', type] as const];
      const stated: RawAnswer = await rawHttp(port, { path, headers });
      expect(stated.body).toContain('TASK_NOT_CANCELABLE');
    },
  );

  it('is not judged where a body of unknown length turns out to be empty, and is at its first byte (B16)', async () => {
    const path = await cancelPath();
    expect(await chunked(path, 'text/plain', '')).toContain('TASK_NOT_CANCELABLE');
    expect(await chunked(path, 'text/plain', '2\r\n{}\r\n')).toMatch(/^HTTP\/1\.1 415 /);
  });

  it('is refused where no binding reads it', async () => {
    expect((await rawHttp(port, { path: '/', headers: [TEXT], body: body() })).status).toBe(415);
  });

  it.each([
    ['/', [JSON_TYPE, TEXT]],
    ['/', [TEXT, JSON_TYPE]],
    ['/', [JSON_TYPE, JSON_TYPE]],
    ['/', [JSON_TYPE, ['content-TYPE', 'application/json'] as const]],
    ['/message:send', [JSON_TYPE, TEXT]],
    ['/v1/message:send', [JSON_TYPE, TEXT]],
    ['/run', [JSON_TYPE, TEXT]],
    ['/mcp', [JSON_TYPE, TEXT]],
    ['/webhooks/redrive', [JSON_TYPE, TEXT]],
  ])('is stated once: two are refused at %s (B25, RFC 9110 §5.3)', async (path, headers) => {
    const answer = await rawHttp(port, { path, headers, body: body() });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('more than one Content-Type');
  });
});
