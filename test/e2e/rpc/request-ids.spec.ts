import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { McpClient, McpSession } from '../../kit/callers/mcp-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { MCP_SKILLS, SEEN } from '../mcp/skills.js';

/** Names of requests as JSON: what a double cannot hold, and what JSON.stringify writes in another way. */
const NAMES = [
  ...['0', '-0', '-7', '1.0', '1.5', '1e3', '9007199254740993', '-9007199254740993', '1795600000000000000'],
  ...['123456789012345678901234567890.000000000000000001', '9'.repeat(256), '"9007199254740993"', '"a\\"b"', '""'],
];
const KEY = 'ann.0123456789abcdef';
const MODERN = '2026-07-28';

let app: RunningApp;
let mcp: McpClient;

/** An A2A request with a name that is written into its text. */
async function rpc(id: string, method: string, params = '{}', headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${app.url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': KEY, ...headers },
    body: `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params},"id":${id}}`,
  });
  return response.text();
}

/** A request of the stateless revision of MCP with its name in its text. */
async function modern(id: string, method: string, params: object, meta = '', headers = {}): Promise<string> {
  const stated = { protocolVersion: MODERN, clientCapabilities: {} };
  const members = Object.entries(stated).map(
    ([name, value]) => `"io.modelcontextprotocol/${name}":${JSON.stringify(value)}`,
  );
  const others = JSON.stringify(params).slice(1, -1);
  const body = `{"jsonrpc":"2.0","params":{${others}${others === '' ? '' : ','}"_meta":{${members.join()}${meta}}},"method":"${method}","id":${id}}`;
  const answer = await mcp.post(body, { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...headers });
  return answer.text();
}

/** The names in all messages of an answer, as they are written. */
function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,]+),/g)].map(([, id]) => id ?? '');
}

const message = (): string =>
  JSON.stringify({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'x' }] } });

describe('the name of a request is echoed as it came (B12)', () => {
  beforeAll(async () => {
    const scopes = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
    app = await runApp(
      {
        ...{
          KEY_PREFIX: `test-${randomUUID()}`,
          MCP: 'true',
          PARLEY_FILE: settingsFile({ mcp: { waitMs: 1_000 } }),
          DEFAULT_SKILL: 'quick',
        },
        SECRET_KEYS: `k:${randomBytes(32).toString('base64')}`,
        API_KEYS: apiKeyEntry(KEY, { tenant: 'default', scopes }),
      },
      { skills: MCP_SKILLS },
    );
    mcp = new McpClient(app.url, { 'x-api-key': KEY });
  });

  afterAll(async () => {
    await app.close();
  });

  const echoed = (id: string): string => (id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id);

  it.each(NAMES)('by A2A, in results, streams and errors: %s', async (id) => {
    const legacy = { 'a2a-version': '0.3' };
    const answers = await Promise.all([
      rpc(id, 'SendMessage', message()),
      rpc(id, 'SendStreamingMessage', message()),
      rpc(id, 'SendStreamingMessage', message(), { accept: 'text/event-stream' }),
      rpc(id, 'GetTask', '{"id":"none"}'),
      rpc(id, 'SubscribeToTask', '{"id":"none"}', { accept: 'text/event-stream' }),
      ...[rpc(id, 'Nope'), rpc(id, 'GetTask', '[]'), rpc(id, 'GetTask', '{"id":5}'), rpc(id, '')],
      rpc(id, 'GetTask', '{"id":"x"}', { 'a2a-version': '9.9' }),
      ...[rpc(id, 'tasks/get', '{"id":"none"}', legacy), rpc(id, 'message/send', '{}', legacy)],
      rpc(id, 'tasks/send', '{}', { 'a2a-version': '0.1' }),
      rpc(id, 'GetTask', '{"id":"x"}', { 'x-api-key': 'wrong' }).then((text) =>
        text.replace('"id":null', `"id":${echoed(id)}`),
      ),
    ]);
    for (const answer of answers) {
      const ids = idsIn(answer);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids)).toEqual(new Set([echoed(id)]));
    }
  });

  it.each(NAMES)('by MCP, in results, errors, progress and subscriptions: %s', async (id) => {
    const call = { name: 'double', arguments: { n: 2, ms: 50 } };
    const [result, unknown, misfit, heard] = await Promise.all([
      modern(id, 'tools/list', {}),
      modern(id, 'nope', {}),
      modern(id, 'tools/call', { name: 'nope', arguments: {} }, '', { 'mcp-name': 'nope' }),
      modern(id, 'tools/call', call, `,"progressToken":${id}`, { 'mcp-name': 'double' }),
    ]);
    for (const answer of [result, unknown, misfit, heard]) expect(idsIn(answer)).toEqual([echoed(id)]);
    expect(heard).toContain(`"progressToken":${echoed(id)}`);
    const leave = new AbortController();
    const listening = await listen(id, leave.signal);
    expect(listening).toContain(`"_meta":{"io.modelcontextprotocol/subscriptionId":${echoed(id)}}`);
    leave.abort();
  });

  /** The first message of a subscription. */
  async function listen(id: string, signal: AbortSignal): Promise<string> {
    const stated = `"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{}`;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{${stated}}}}`;
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' };
    const { body: stream } = await mcp.post(body, headers, { signal });
    for await (const chunk of stream ?? []) {
      const text = Buffer.from(chunk as Uint8Array).toString();
      if (text.includes('data: {')) return text;
    }
    return '';
  }

  it('a session cancels the request with those digits, and not the one with the next', async () => {
    const session = await McpSession.begin(mcp);
    const post = (text: string): Promise<Response> => mcp.post(text, { 'mcp-session-id': session.id });
    const before = SEEN.aborted;
    const running = SEEN.runs;
    const begin = (id: string): Promise<string> =>
      post(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"endless","arguments":{"text":"x"}}}`,
      ).then((answer) => answer.text());
    const [one, other] = ['9007199254740992', '9007199254740993'];
    const answers = [begin(one), begin(other)];
    await eventually(() => expect(SEEN.runs).toBe(running + 2));
    const cancel = (id: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
    expect((await post(cancel(other))).status).toBe(202);
    await eventually(() => expect(SEEN.aborted).toBe(before + 1));
    expect(idsIn(await answers[1]!)).toEqual([other]);
    await post(cancel(one));
    expect(idsIn(await answers[0]!)).toEqual([one]);
    expect(SEEN.aborted).toBe(before + 2);
  });

  it.each(['9'.repeat(257), `"${'x'.repeat(257)}"`, 'true', '[1]', '{"a":1}', '1e400'])(
    'refuses %s, with id null in A2A and without one in MCP',
    async (id) => {
      const answer = JSON.parse(await rpc(id, 'GetTask', '{"id":"x"}')) as unknown;
      expect(answer).toMatchObject({ id: null, error: { code: -32600 } });
      const refused = JSON.parse(await modern(id, 'tools/list', {})) as object;
      expect(refused).toMatchObject({ error: { code: -32600 } });
      expect(refused).not.toHaveProperty('id');
    },
  );
});
