import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Observable, tap } from 'rxjs';
import { Lifecycle } from '../../../src/http/health/lifecycle.js';
import { eventually } from '../../kit/run/eventually.js';
import { RawSocket } from '../../kit/callers/raw-socket.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';

const V1 = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const REVISION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const rpc = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const send = aMessage('Hello', { skillId: 'scripted' });

/** One call of each binding, and more where a binding has several routes or kinds of answers. */
const CALLS = [
  { binding: 'JSON-RPC', path: '/', body: rpc('SendMessage', send), method: 'POST' },
  { binding: 'JSON-RPC, a stream', path: '/', body: rpc('SendStreamingMessage', send), method: 'POST' },
  { binding: 'JSON-RPC at its second path', path: '/subscribe', body: rpc('ListTasks', {}), method: 'POST' },
  { binding: 'HTTP+JSON, a send', path: '/message:send', body: JSON.stringify(send), method: 'POST' },
  { binding: 'HTTP+JSON, a read', path: '/tasks/none', body: undefined, method: 'GET' },
  { binding: 'POST /run', path: '/run', body: '{"intent":"none"}', method: 'POST' },
  {
    binding: 'MCP',
    path: '/mcp',
    body: rpc('tools/list', { _meta: { [REVISION]: '2026-07-28', [CAPABILITIES]: {} } }),
    method: 'POST',
  },
  { binding: 'the card', path: '/.well-known/agent-card.json', body: undefined, method: 'GET' },
] as const;

class Suspended extends Error {}

/** The enhancers that an embedding program registers for all routes. */
class Enhancers implements CanActivate, NestInterceptor {
  readonly guarded: string[] = [];
  readonly intercepted: string[] = [];
  verdict: 'allow' | 'deny' | 'suspend' = 'allow';

  canActivate(context: ExecutionContext): boolean {
    this.guarded.push(context.switchToHttp().getRequest<FastifyRequest>().url);
    if (this.verdict === 'deny') throw new ForbiddenException();
    return true;
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { url } = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.verdict === 'suspend') throw new Suspended();
    return next.handle().pipe(tap(() => this.intercepted.push(url)));
  }
}

@Catch(Suspended)
class SuspendedFilter implements ExceptionFilter {
  catch(_error: Suspended, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(423).send('suspended');
  }
}

describe('the bindings', () => {
  const enhancers = new Enhancers();
  let running: RunningApp;

  beforeAll(async () => {
    running = await runApp({ MCP: 'true' }, SCRIPTED, undefined, (app) => {
      app.useGlobalGuards(enhancers).useGlobalInterceptors(enhancers).useGlobalFilters(new SuspendedFilter());
    });
  });

  afterAll(async () => {
    await running.close();
  });

  beforeEach(() => {
    enhancers.guarded.length = 0;
    enhancers.intercepted.length = 0;
  });

  async function call({ path, body, method }: (typeof CALLS)[number]): Promise<{ status: number; text: string }> {
    const accept = path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {};
    const mcp = path === '/mcp' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' } : {};
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers: { ...V1, ...accept, ...mcp },
      ...(body === undefined
        ? {}
        : { body: body.replace(/"messageId":"[^"]*"/, `"messageId":"${crypto.randomUUID()}"`) }),
    });
    return { status: response.status, text: await response.text() };
  }

  it.each(CALLS)('pass a global guard and a global interceptor: $binding', async (one) => {
    enhancers.verdict = 'allow';
    const { status, text } = await call(one);
    expect([200, 404]).toContain(status);
    expect(text).not.toContain('suspended');
    expect(enhancers.guarded).toEqual([one.path]);
    if (status === 200) await eventually(() => expect(enhancers.intercepted).toEqual([one.path]));
  });

  it.each(CALLS)('are refused by a global guard before anything is done: $binding', async (one) => {
    enhancers.verdict = 'deny';
    expect((await call(one)).status).toBe(403);
    expect(enhancers.intercepted).toEqual([]);
  });

  it.each(CALLS)('leave errors to a global filter that names them: $binding', async (one) => {
    enhancers.verdict = 'suspend';
    const { status, text } = await call(one);
    // An unknown intent is refused by the method guard, before interceptors.
    if (one.path === '/run') expect(status).toBe(404);
    else expect({ status, text }).toEqual({ status: 423, text: 'suspended' });
  });

  const get = (id: string, more: Readonly<Record<string, string>>): readonly [head: string, body: string] => {
    const body = rpc('GetTask', { id });
    const lines = Object.entries({ host: '127.0.0.1', ...V1, 'content-length': String(body.length), ...more });
    return [`POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, body];
  };
  const opened = (): Promise<RawSocket> => RawSocket.open(Number(new URL(running.url).port));
  const withoutDate = (text: string): string =>
    text
      .replace(/^date: .*$/gim, 'date')
      .replace(/x-request-id: \S+/gi, 'x-request-id')
      .replace(/;r=\d+;t=\d+/g, '');

  it('answer calls that come together on one connection, and one behind them', async () => {
    enhancers.verdict = 'allow';
    const socket = await opened();
    socket.write(get('none', {}).join('') + get('none', {}).join(''));
    await eventually(() => expect(socket.text.split('HTTP/1.1 200 ')).toHaveLength(3));
    socket.write(get('none', { connection: 'close' }).join(''));
    await eventually(() => expect(socket.socket.closed).toBe(true));
    expect(socket.text.split('HTTP/1.1 200 ')).toHaveLength(4);
  });

  it('answer alike whether the body comes with the head or after 100 Continue', async () => {
    enhancers.verdict = 'allow';
    const together = await opened();
    together.write(get('none', { connection: 'close' }).join(''));
    await eventually(() => expect(together.socket.closed).toBe(true));
    const later = await opened();
    const [head, body] = get('none', { connection: 'close', expect: '100-continue' });
    const continued = 'HTTP/1.1 100 Continue\r\n\r\n';
    later.write(head);
    await eventually(() => expect(later.text).toBe(continued));
    later.write(body);
    await eventually(() => expect(later.socket.closed).toBe(true));
    expect(withoutDate(later.text.replace(continued, ''))).toBe(withoutDate(together.text));
  });

  it('end their connections while the process drains', async () => {
    enhancers.verdict = 'allow';
    running.app.get(Lifecycle, { strict: false }).leave();
    for (const [method, path] of [
      ['GET', '/tasks/none'],
      ['POST', '/'],
    ] as const) {
      const socket = await opened();
      const [head, body] = get('none', {});
      socket.write(
        method === 'POST' ? head + body : `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\na2a-version: 1.0\r\n\r\n`,
      );
      await eventually(() => expect(socket.socket.closed).toBe(true));
      expect(socket.text).toMatch(/^connection: close\r$/im);
    }
  });
});
