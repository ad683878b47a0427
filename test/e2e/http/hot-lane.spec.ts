import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Lifecycle } from '../../../src/server/health/lifecycle.js';
import { McpGuard } from '../../../src/server/mcp/mcp.guard.js';
import { RestGuard } from '../../../src/server/rest/rest.guard.js';
import { RpcGuard } from '../../../src/server/rpc/rpc.guard.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/eventually.js';
import { RawSocket } from '../../kit/raw-socket.js';
import { runApp, type RunningApp } from '../../kit/running-app.js';
import { SCRIPTED } from '../../kit/scripted.skill.js';

/** One HTTP request, as a test writes it; `{task}` stands for the id of a finished task of the caller. */
interface Ask {
  readonly what: string;
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const DATA = { parts: [{ text: 'Hello' }], metadata: { skillId: 'scripted' } };
const message = (id: string, more: object = {}): object => ({ messageId: id, role: 'ROLE_USER', ...DATA, ...more });
const rpc = (method: string, params: object, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params, ...more });

const V1 = { 'a2a-version': '1.0' };
const post = (what: string, body: string | Buffer, headers: Readonly<Record<string, string>> = V1): Ask => ({
  ...{ what, line: 'POST / HTTP/1.1', body, headers },
});
const get = (what: string, path: string, headers: Readonly<Record<string, string>> = V1): Ask => ({
  ...{ what, line: `GET ${path} HTTP/1.1`, headers },
});

const RPC_CALLS: readonly Ask[] = [
  post('GetTask', rpc('GetTask', { id: '{task}' })),
  post('GetTask without history', rpc('GetTask', { id: '{task}', historyLength: 0 })),
  post('GetTask with an extension', rpc('GetTask', { id: '{task}' }), {
    ...V1,
    'a2a-extensions': 'https://x.example, urn:y',
  }),
  post('GetTask of a missing task', rpc('GetTask', { id: '00000000-0000-4000-8000-000000000000' })),
  post('GetTask with wrong params', rpc('GetTask', { id: 5 })),
  post('GetTask of another tenant', rpc('GetTask', { id: '{task}', tenant: 'foreign' })),
  post('tasks/get in 0.3', rpc('tasks/get', { id: '{task}' }), { 'a2a-version': '0.3' }),
  post('tasks/get without a version', rpc('tasks/get', { id: '{task}' }), {}),
  post('tasks/get in 0.2', rpc('tasks/get', { id: '{task}' }), { 'a2a-version': '0.2' }),
  post('a blocking send', rpc('SendMessage', { message: message('m-1') })),
  post(
    'a send that does not wait',
    rpc('SendMessage', { message: message('m-2'), configuration: { returnImmediately: true } }),
  ),
  post(
    'a send in 0.3',
    rpc('message/send', {
      message: {
        kind: 'message',
        messageId: 'm-3',
        role: 'user',
        parts: [{ kind: 'text', text: 'Hello' }],
        metadata: { skillId: 'scripted' },
      },
    }),
    {},
  ),
  post('a stream', rpc('SendStreamingMessage', { message: message('m-4') }), { ...V1, accept: 'text/event-stream' }),
  post('a stream that is refused, for a reader of events', rpc('SendStreamingMessage', { message: {} }), {
    ...V1,
    accept: 'text/event-stream',
  }),
  post('a direct answer', rpc('SendMessage', { message: message('m-5', { metadata: { skillId: 'direct' } }) })),
  post('an unexpected fault', rpc('SendMessage', { message: message('m-6', { metadata: { skillId: 'broken' } }) })),
  post(
    'a message for an unknown skill',
    rpc('SendMessage', { message: message('m-7', { metadata: { skillId: 'none' } }) }),
  ),
  post('ListTasks', rpc('ListTasks', { pageSize: 1 })),
  post('the extended card', rpc('GetExtendedAgentCard', {})),
  post('an unknown method', rpc('Nothing', {})),
  post('an unknown version', rpc('GetTask', { id: '{task}' }), { 'a2a-version': '9.9' }),
  post('a notification in 1.0', JSON.stringify({ jsonrpc: '2.0', method: 'GetTask', params: { id: '{task}' } })),
  post('a batch', `[${rpc('GetTask', { id: '{task}' })}]`),
  post('an id that is none', rpc('GetTask', { id: '{task}' }, { id: { a: 1 } })),
  post('another protocol', rpc('GetTask', { id: '{task}' }, { jsonrpc: '1.0' })),
  post('no JSON', '{"jsonrpc":'),
  post('a byte order mark', Buffer.from('\u{feff}{}')),
  post('no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])),
  post('a prototype', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"__proto__":{}}}'),
  post('a member twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask"}'),
  post('nothing', ''),
  post(
    'an oversized text',
    rpc('SendMessage', { message: message('m-8', { parts: [{ text: 'x'.repeat(1_100_000) }] }) }),
  ),
  post('another type', '{}', { ...V1, 'content-type': 'text/plain' }),
  post('a compressed body', '{}', { ...V1, 'content-encoding': 'gzip' }),
  { ...post('a query', rpc('GetTask', { id: '{task}' }), {}), line: 'POST /?A2A-Version=1.0 HTTP/1.1' },
  { ...post('the second URL of 0.1', rpc('tasks/get', { id: '{task}' }), {}), line: 'POST /subscribe HTTP/1.1' },
  { ...post('a method that the URL does not have', '{}'), line: 'PUT / HTTP/1.1' },
  {
    ...post('a long name of the request', rpc('GetTask', { id: '{task}' }), { ...V1, 'x-request-id': 'x'.repeat(500) }),
  },
];

const REST_CALLS: readonly Ask[] = [
  get('GET of a task', '/tasks/{task}'),
  get('GET of a task without history', '/tasks/{task}?historyLength=0'),
  get('GET of a task for a reader of plain JSON', '/tasks/{task}', { ...V1, accept: 'application/json' }),
  get('GET of a task in 0.3', '/v1/tasks/{task}', {}),
  get('GET of a missing task', '/tasks/none'),
  get('GET of a task with a wrong parameter', '/tasks/{task}?historyLength=many'),
  get('GET of a task in an unknown version', '/tasks/{task}', { 'a2a-version': '9.9' }),
  get('GET of a task of a tenant', '/acme/tasks/{task}'),
  get('a name with characters of other kinds', '/tasks/%7Btask%7D'),
  get('the tasks', '/tasks?pageSize=1'),
  get('nothing at all', '/nothing'),
  get('a path that cannot be decoded', '/tasks/%ff'),
  { what: 'HEAD of a task', line: 'HEAD /tasks/{task} HTTP/1.1', headers: V1 },
  { what: 'DELETE of a task', line: 'DELETE /tasks/{task} HTTP/1.1', headers: V1 },
  { ...post('a send', JSON.stringify({ message: message('m-20') })), line: 'POST /message:send HTTP/1.1' },
  { ...post('a send without body', ''), line: 'POST /message:send HTTP/1.1' },
  { ...post('a stream', JSON.stringify({ message: message('m-21') })), line: 'POST /message:stream HTTP/1.1' },
  { ...post('a stream that is refused', '{"message":1}'), line: 'POST /message:stream HTTP/1.1' },
];

const RUN_CALLS: readonly Ask[] = [
  { ...post('an unknown intent', '{"intent":"none"}', {}), line: 'POST /run HTTP/1.1' },
  { ...post('a wrong intent', '{"intent":"none","data":1}', {}), line: 'POST /run?a=b HTTP/1.1' },
  { ...post('an intent that is no JSON', '{"intent":', {}), line: 'POST /run HTTP/1.1' },
];

const REVISION = 'io.modelcontextprotocol/protocolVersion';
const DECLARED = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const ACCEPT = { accept: 'application/json, text/event-stream' };
const MODERN = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28' };
const mcpPost = (what: string, body: string, headers: Readonly<Record<string, string>> = MODERN): Ask => ({
  ...{ what: `MCP: ${what}`, line: 'POST /mcp HTTP/1.1', body, headers },
});
const mcp = (method: string, params: object = {}, name?: string): Ask =>
  mcpPost(
    name === undefined ? method : `${method} ${name}`,
    rpc(method, { ...params, _meta: { [REVISION]: '2026-07-28', ...DECLARED } }),
    { ...MODERN, 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) },
  );
const tool = (name: string, args: object = { text: 'Hello' }): Ask =>
  mcp('tools/call', { name, arguments: args }, name);
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '0' } };

const MCP_CALLS: readonly Ask[] = [
  mcp('server/discover'),
  mcp('tools/list'),
  tool('scripted'),
  tool('direct'),
  tool('broken'),
  tool('none'),
  { ...tool('scripted', { words: 'x' }), what: 'MCP: tools/call with wrong arguments' },
  mcp('tasks/get', { taskId: '{task}' }, '{task}'),
  mcp('tasks/get', { taskId: 'none' }, 'none'),
  mcp('tasks/cancel', { taskId: '{task}' }, '{task}'),
  mcp('resources/list'),
  mcp('subscriptions/listen', { notifications: { taskIds: ['{task}'] } }),
  { ...mcp('subscriptions/listen', { notifications: 1 }), what: 'MCP: a subscription to nothing' },
  mcp('nothing'),
  mcpPost('a header that differs', mcp('tools/list').body?.toString() ?? '', { ...MODERN, 'mcp-method': 'ping' }),
  mcpPost('no _meta', rpc('tools/list', {})),
  mcpPost('another revision', rpc('tools/list', { _meta: { [REVISION]: '1999-01-01', ...DECLARED } })),
  mcpPost('initialize', rpc('initialize', initialize), ACCEPT),
  mcpPost('a notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}'),
  mcpPost('a session that is none', rpc('ping', {}), { ...ACCEPT, 'mcp-session-id': 'none' }),
  mcpPost('neither revision nor session', rpc('tools/list', {}), ACCEPT),
  mcpPost('a batch', `[${rpc('ping', {})}]`),
  mcpPost('no JSON', '{"jsonrpc":'),
  mcpPost('JSON only', rpc('tools/list', {}), { accept: 'application/json' }),
  mcpPost('a compressed body', '{}', { ...MODERN, 'content-encoding': 'gzip' }),
  mcpPost('a page of another origin', '{}', { ...MODERN, origin: 'https://evil.example' }),
  { ...mcp('tools/list'), what: 'MCP: a query', line: 'POST /mcp?a=b HTTP/1.1' },
  { what: 'MCP: GET', line: 'GET /mcp HTTP/1.1', headers: ACCEPT },
  { what: 'MCP: DELETE', line: 'DELETE /mcp HTTP/1.1' },
];

const CARDS: readonly Ask[] = [
  get('the card', '/.well-known/agent-card.json', {}),
  get('the card of 1.0', '/.well-known/agent-card.json'),
  get('the card that a reader has, perhaps', '/.well-known/agent-card.json', { 'if-none-match': 'W/"other"' }),
  get('the card that a reader has', '/.well-known/agent-card.json', { 'if-none-match': '*' }),
  get('the card at its older path', '/.well-known/agent.json', {}),
  { what: 'HEAD of the card', line: 'HEAD /.well-known/agent-card.json HTTP/1.1', headers: V1 },
];

/** The word for which a caller waits that says `Expect: 100-continue`. */
const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n';
const WAITS = { expect: '100-continue' };

const KEY = 'probe.secret';
const ways = ['lane', 'nest'] as const;
type Way = (typeof ways)[number];

interface Side {
  readonly running: RunningApp;
  readonly task: string;
  readonly audit: string;
}

/** What differs between two runs of one request: ids, times and what is left of a rate. */
function settled(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
      .replace(/"requestId":"[0-9a-f]{32}"/g, '"requestId":"<id>"')
      .replace(/^x-request-id: [0-9a-f]{32}\r$/gm, 'x-request-id: <id>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/^(date|Date): .*$/gm, 'date: <date>')
      .replace(/;r=\d+;t=\d+/g, ';r=<left>')
      .replace(/^id: \d+-\S+$/gm, 'id: <event>')
      // Each of the two services signs its card with keys of its own, and names its own port.
      .replace(/"signatures":\[[^\]]*\]/g, '"signatures":[]')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
      .replace(/^mcp-session-id: .*$/gm, 'mcp-session-id: <session>')
      .replace(/^etag: .*$/gm, 'etag: <tag>')
      .replace(/^last-modified: .*$/gm, 'last-modified: <date>')
      .replace(/"nextPageToken":"[^"]*"/g, '"nextPageToken":"<token>"')
  );
}

/** The bytes that came back, once the connection is closed. A caller that expects a word from the server waits with its body. */
async function answer(
  { running, task }: Side,
  { line, headers: own = {}, body = '' }: Ask,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const headers = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, value.replaceAll('{task}', task)]),
  );
  const bytes = Buffer.from(Buffer.isBuffer(body) ? body : body.replaceAll('{task}', task));
  const sent = {
    ...{ host: '127.0.0.1', connection: 'close', 'x-request-id': 'r-1' },
    ...(line.startsWith('GET') || line.startsWith('HEAD') || line.startsWith('DELETE')
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
    ...headers,
    ...more,
  };
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = await RawSocket.open(Number(new URL(running.url).port));
  const headBytes = Buffer.from(`${line.replaceAll('{task}', task)}\r\n${head.join('')}\r\n`);
  if ('expect' in sent) {
    socket.write(headBytes);
    await eventually(() => {
      expect(socket.text).toBe(GO_ON);
    });
    socket.write(bytes);
  } else socket.write(Buffer.concat([headBytes, bytes]));
  const answered = (): string => socket.text.replace(GO_ON, '');
  // Streams stay open for the next request, whatever the caller says.
  await eventually(() => {
    expect(socket.socket.closed || isWholeStream(answered())).toBe(true);
  });
  socket.socket.destroy();
  return settled(answered());
}

/** Whether a stream is there to its end: it states its length, or it has its last chunk. */
function isWholeStream(text: string): boolean {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  if (!head.includes('text/event-stream')) return false;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : Buffer.byteLength(body) === Number(length);
}

describe.each([
  { start: 'the open start', variables: {}, credentials: {} },
  {
    start: 'a start with API keys',
    variables: { API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: 'a2a:message.send a2a:tasks.read' }) },
    credentials: { 'x-api-key': KEY },
  },
])('the lane and Nest, at $start', ({ variables, credentials }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lane-'));
  const sides = new Map<Way, Side>();

  async function begin(way: Way): Promise<Side> {
    const audit = join(folder, `${way}.log`);
    const overrides = { ...SCRIPTED, lane: way === 'lane' };
    const running = await runApp({ ...variables, MCP: 'true', AUDIT_LOG: audit }, overrides);
    const response = await fetch(running.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...V1, ...credentials },
      body: rpc('SendMessage', { message: message('m-0') }),
    });
    const { result } = (await response.json()) as { result: { task: { id: string } } };
    return { running, task: result.task.id, audit };
  }

  beforeAll(async () => {
    for (const way of ways) sides.set(way, await begin(way));
  });

  afterAll(async () => {
    for (const { running } of sides.values()) await running.close();
    rmSync(folder, { recursive: true });
  });

  const side = (way: Way): Side => {
    const found = sides.get(way);
    if (found === undefined) throw new Error(`${way} has not begun`);
    return found;
  };

  const both = async (ask: Ask, more: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    Promise.all(ways.map((way) => answer(side(way), ask, more)));

  it.each([...RPC_CALLS, ...REST_CALLS, ...RUN_CALLS, ...MCP_CALLS, ...CARDS])('answer alike: $what', async (ask) => {
    const [lane, nest] = await both(ask, credentials);
    expect(lane).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(lane).toBe(nest);
  });

  it.each(['GetTask', 'a stream that is refused, for a reader of events', 'no JSON', 'a stream that is refused'])(
    'answer alike, with the body at once or later: %s',
    async (name) => {
      const ask = [...RPC_CALLS, ...REST_CALLS].find(({ what }) => what === name);
      if (ask === undefined) throw new Error('The corpus has no such call');
      const [lane, nest] = await both(ask, { ...credentials, ...WAITS });
      expect(lane).toMatch(/^HTTP\/1\.1 \d{3} /);
      expect(lane).toBe(nest);
      expect(await both(ask, credentials)).toEqual([lane, nest]);
    },
  );

  it.each([
    ['with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ["of A2A's own type", { 'content-type': 'application/a2a+json' }],
    ['of a type that is none', { 'content-type': 'json' }],
  ])('answer alike: a body %s', async (_what, type) => {
    const [lane, nest] = await both(post('GetTask', rpc('GetTask', { id: '{task}' }), { ...V1, ...type }), credentials);
    expect(lane).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(lane).toBe(nest);
  });

  it('answer alike: calls that come together on one connection, and one behind them', async () => {
    const answers = ways.map(async (way) => {
      const body = rpc('GetTask', { id: side(way).task });
      const head = { 'content-type': 'application/json', 'content-length': String(body.length), 'x-request-id': 'r-1' };
      const call = (more: Readonly<Record<string, string>>): string => {
        const lines = Object.entries({ host: '127.0.0.1', ...head, ...V1, ...credentials, ...more });
        return `POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
      };
      const socket = await RawSocket.open(Number(new URL(side(way).running.url).port));
      socket.write(call({}) + call({}));
      await eventually(() => {
        expect(socket.text.split('HTTP/1.1 200 ')).toHaveLength(3);
      });
      socket.write(call({ connection: 'close' }));
      await eventually(() => {
        expect(socket.socket.closed).toBe(true);
      });
      expect(socket.text.split('HTTP/1.1 200 ')).toHaveLength(4);
      return settled(socket.text);
    });
    const [lane, nest] = await Promise.all(answers);
    expect(lane).toBe(nest);
  });

  it.each([
    ['without credentials', {}],
    ['with a wrong key', { 'x-api-key': 'probe.wrong' }],
    ['with credentials of two kinds', { 'x-api-key': KEY, authorization: 'Bearer x' }],
    ['from a web page', { origin: 'https://evil.example', host: 'evil.example' }],
  ] as const)('refuse alike, and write the same audit lines: %s', async (_what, headers) => {
    for (const ask of [RPC_CALLS[0], RPC_CALLS[9], REST_CALLS[0]]) {
      if (ask === undefined) throw new Error('The corpus has no such call');
      const [lane, nest] = await both(ask, headers);
      expect(lane).toBe(nest);
    }
    const [lane, nest] = ways.map((way) => settled(readFileSync(side(way).audit, 'utf8')));
    expect(lane).toBe(nest);
    expect(lane?.split('\n').length).toBeGreaterThan(RPC_CALLS.length / 2);
  });

  it('count alike', async () => {
    const counts = ways.map(async (way) => {
      const text = await (await fetch(`${side(way).running.url}/metrics`)).text();
      return text
        .split('\n')
        .filter((line) => /^a2a_(requests|audit_decisions|limit_hits|streams_\w+)_total/.test(line));
    });
    const [lane, nest] = await Promise.all(counts);
    expect(lane?.length).toBeGreaterThan(5);
    expect(lane?.toSorted()).toEqual(nest?.toSorted());
  });

  describe('ask the same guards', () => {
    const asked: string[] = [];
    beforeEach(() => {
      asked.length = 0;
      for (const guard of [RpcGuard, RestGuard]) {
        const { canActivate } = guard.prototype;
        jest.spyOn(guard.prototype, 'canActivate').mockImplementation(function (this: RpcGuard & RestGuard, context) {
          asked.push(guard.name);
          return canActivate.call(this, context);
        });
      }
    });
    beforeEach(() => {
      const { canActivate } = McpGuard.prototype;
      jest.spyOn(McpGuard.prototype, 'canActivate').mockImplementation(function (this: McpGuard, context) {
        asked.push(McpGuard.name);
        return canActivate.call(this, context);
      });
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    it.each([
      { way: 'lane' as const, by: [] },
      { way: 'nest' as const, by: ['RpcGuard', 'RpcGuard', 'RestGuard', 'RestGuard', 'McpGuard'] },
    ])('through Nest where the lane is off ($way)', async ({ way, by }) => {
      const hot = [RPC_CALLS[0], RPC_CALLS[12], REST_CALLS[0], REST_CALLS[14], MCP_CALLS[1]];
      for (const ask of hot) if (ask !== undefined) await answer(side(way), ask, credentials);
      expect(asked).toEqual(by);
      asked.length = 0;
      for (const ask of hot) if (ask?.body !== undefined) await answer(side(way), ask, { ...credentials, ...WAITS });
      expect(asked).toEqual(by.toSpliced(2, 1));
    });

    it('through Nest for what is not hot', async () => {
      const cold = REST_CALLS.find(({ what }) => what === 'the tasks');
      if (cold !== undefined) await answer(side('lane'), cold, credentials);
      expect(asked).toEqual(['RestGuard']);
    });
  });

  it('end their connections while the process drains', async () => {
    for (const way of ways) side(way).running.app.get(Lifecycle, { strict: false }).leave();
    for (const ask of [RPC_CALLS[0], RPC_CALLS[3], REST_CALLS[0], REST_CALLS[4]]) {
      if (ask === undefined) throw new Error('The corpus has no such call');
      const [lane, nest] = await both(ask, { ...credentials, connection: 'keep-alive' });
      expect(lane).toMatch(/^connection: close\r$/im);
      expect(lane).toBe(nest);
    }
  });
});
