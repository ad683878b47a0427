import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MODERN_REVISION } from '@parley/protocol/mcp/revision.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RawSocket } from '../../kit/callers/raw-socket.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.observe a2a:registry.read';

interface Request {
  readonly target: string;
  readonly body?: object;
  readonly headers?: readonly string[];
}

function message(text: string, skillId: string): object {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId } } };
}

const OLDER = { messageId: 'm3', role: 'user', kind: 'message', parts: [{ kind: 'text', text: 'hello' }] };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 'p',
};
const METHOD = { jsonrpc: '2.0', id: 1 };

/** Streams that end, short ones and such that last; each message has an id of its own. */
const ending = (): Readonly<Record<string, Request>> => ({
  'SendStreamingMessage, JSON-RPC': {
    target: '/',
    body: { ...METHOD, method: 'SendStreamingMessage', params: message('hello', 'echo') },
  },
  'SendStreamingMessage that lasts': {
    target: '/',
    body: { ...METHOD, method: 'SendStreamingMessage', params: message('1', 'countdown') },
  },
  'message/stream of 0.3': {
    target: '/',
    body: { ...METHOD, method: 'message/stream', params: { message: OLDER } },
    headers: ['A2A-Version: 0.3'],
  },
  'SendStreamingMessage, HTTP+JSON': { target: '/message:stream', body: message('hello', 'echo') },
  'tools/call of MCP': {
    target: '/mcp',
    body: {
      ...METHOD,
      method: 'tools/call',
      params: {
        ...{ name: 'countdown', arguments: { text: '1' } },
        _meta: META,
      },
    },
    headers: [`MCP-Protocol-Version: ${MODERN_REVISION}`, 'MCP-Method: tools/call', 'MCP-Name: countdown'],
  },
});
/** Streams that last until their reader leaves. */
const LASTING: Readonly<Record<string, Request>> = {
  'the feed of the console': { target: '/console/api/feed' },
  'the events of the registry': { target: '/registry/events' },
};
const LAST: readonly (readonly [version: string, headers: readonly string[]])[] = [
  ['1.1', ['Connection: close']],
  ['1.0', []],
];

function everyWay(requests: object): readonly (readonly [string, string])[] {
  return Object.keys(requests).flatMap((name) => LAST.map(([version]) => [name, version] as const));
}

describe('a stream that is the last answer of its connection', () => {
  let service: RunningApp;
  const open: RawSocket[] = [];

  beforeAll(async () => {
    const API_KEYS = apiKeyEntry('me.secret', { tenant: 'acme', scopes: SCOPES });
    service = await runApp({ API_KEYS, MCP: 'true', REGISTRY: 'true' });
  });
  afterAll(() => service.close());
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.destroy();
  });

  async function began(request: Request | undefined, version: string, more: readonly string[]): Promise<RawSocket> {
    const { target = '', body, headers = ['A2A-Version: 1.0'] } = request ?? {};
    const json = body === undefined ? '' : JSON.stringify(body);
    const socket = await RawSocket.open(Number(new URL(service.url).port));
    open.push(socket);
    const head = [`${body === undefined ? 'GET' : 'POST'} ${target} HTTP/${version}`, 'Host: localhost', ...headers];
    head.push('X-Api-Key: me.secret', 'Accept: application/json, text/event-stream', ...more);
    if (body !== undefined) head.push('Content-Type: application/json', `Content-Length: ${String(json.length)}`);
    return socket.write([...head, '', json].join('\r\n'));
  }

  const headOf = ({ text }: RawSocket): string => text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase();
  const moreOf = (version: string): readonly string[] => LAST.find(([one]) => one === version)?.[1] ?? [];

  async function says(socket: RawSocket, connection: string): Promise<void> {
    await eventually(() => expect(socket.text).toContain('\r\n\r\n'));
    expect(headOf(socket)).toMatch(/^http\/1\.1 200 /);
    expect(headOf(socket)).toContain('content-type: text/event-stream');
    expect(headOf(socket).match(/^connection: .*$/gm)).toEqual([`connection: ${connection}`]);
  }

  it.each(everyWay(ending()))('says so and closes it at its end: %s, HTTP/%s (A18)', async (name, version) => {
    const socket = await began(ending()[name], version, moreOf(version));
    await says(socket, 'close');
    await socket.closed(10_000);
    if (version === '1.0') expect(headOf(socket)).not.toContain('transfer-encoding');
    expect(socket.text.trimEnd()).toMatch(/data: [^]*(\}|\r\n0)$/);
  });

  it.each(everyWay(LASTING))('says so: %s, HTTP/%s (A18)', async (name, version) => {
    const socket = await began(LASTING[name], version, moreOf(version));
    await says(socket, 'close');
    if (version === '1.0') expect(headOf(socket)).not.toContain('transfer-encoding');
  });

  it.each(Object.keys({ ...ending(), ...LASTING }))(
    'keeps the connection of other requests: %s (A18)',
    async (name) => {
      const socket = await began({ ...ending(), ...LASTING }[name], '1.1', []);
      await says(socket, 'keep-alive');
      expect(socket.socket.closed).toBe(false);
    },
  );
});
