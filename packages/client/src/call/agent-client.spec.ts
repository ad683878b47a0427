import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { collect } from '../../../../test/kit/callers/collect.js';
import { PlainHttp } from '../http/plain-http.js';
import { clientCodecV01 } from '@parley/protocol/v0_1/client-codec.js';
import { clientCodecV03 } from '@parley/protocol/v0_3/client-codec.js';
import { clientCodecV1 } from '@parley/protocol/v1_0/client-codec.js';
import { type AgentAuth, bearerCredential, fixedAuth, NO_AUTH } from '../http/agent-auth.js';
import { AgentClient } from './agent-client.js';
import { ClientCredentialsAuth } from '../auth/client-credentials.js';
import type { Binding } from './endpoint.js';
import { LoggedHttp } from '../http/wire-log.js';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** An agent with prepared answers, and the requests that it received. */
async function agent(answer: Answer): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(pieces).toString() };
      seen.push(one);
      answer(response, one);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, seen };
}

interface ClientTraits {
  readonly binding?: Binding;
  readonly auth?: AgentAuth;
  readonly tenant?: string;
  readonly codec?: typeof clientCodecV1;
}

function clientOf(
  url: string,
  { binding = 'JSONRPC', auth = NO_AUTH, tenant, codec = clientCodecV1 }: ClientTraits = {},
) {
  const bounds = { answer: 4096, line: 2048 };
  return new AgentClient({ endpoint: { url, binding, codec, tenant }, http: new PlainHttp(), auth, bounds });
}

const TASK = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;

const rpc =
  (result: unknown): Answer =>
  (response, { body }) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(body === '' ? result : { jsonrpc: '2.0', id: JSON.parse(body).id, result }));

const idOf = ({ body }: Seen): string => JSON.parse(body).id as string;

const stream =
  (write: Answer): Answer =>
  (response, seen) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    write(response, seen);
  };

const event = (seen: Seen, result: unknown): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id: idOf(seen), result })}\n\n`;

describe(AgentClient.name, () => {
  it('A2ACLI_VER_001, A2ACLI_TX_003: states the version and the tenant of its interface with every call', async () => {
    const { url, seen } = await agent(rpc(TASK));
    await clientOf(url, { tenant: 'acme' }).getTask({ id: 't' });
    await clientOf(url).getTask({ id: 't' });
    await clientOf(`${url}/base/`, { binding: 'HTTP+JSON', tenant: 'a b' }).getTask({ id: 't/1', historyLength: 2 });
    expect(seen.map(({ headers }) => headers['a2a-version'])).toEqual(['1.0', '1.0', '1.0']);
    expect(JSON.parse(seen[0]!.body).params).toEqual({ id: 't', tenant: 'acme' });
    expect(JSON.parse(seen[1]!.body).params).toEqual({ id: 't' });
    expect(seen[2]).toMatchObject({ method: 'GET', path: '/base/a%20b/tasks/t%2F1?historyLength=2', body: '' });
  });

  it('speaks 0.3 where the interface is of 0.3', async () => {
    const { url, seen } = await agent(rpc({ kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } }));
    const task = await clientOf(url, { codec: clientCodecV03 }).sendMessage({ message: MESSAGE });
    expect(task).toMatchObject({ task: { id: 't', status: { state: 'TASK_STATE_WORKING' } } });
    expect(JSON.parse(seen[0]!.body)).toMatchObject({
      method: 'message/send',
      params: { message: { kind: 'message', role: 'user' } },
    });
    expect(seen[0]!.headers['a2a-version']).toBe('0.3');
  });

  it.each([
    ['a method that it lacks', 200, -32601],
    ['a request that its models refuse, as the samples of April 2025', 400, -32600],
  ])('speaks 0.1 to an agent that answers with %s (S7)', async (_what, status, code) => {
    const said = { role: 'agent', parts: [{ type: 'text', text: 'Hello' }] };
    const task = {
      ...{ id: 'm', sessionId: 's', status: { state: 'completed', message: said } },
      ...{ artifacts: [{ parts: [{ type: 'text', text: 'Hello' }], index: 0 }], history: [said] },
    };
    const { url, seen } = await agent((response, one) => {
      const { method, id } = JSON.parse(one.body) as { method: string; id: string };
      if (method.startsWith('message/')) {
        response.statusCode = status;
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'no' } }));
      } else if (method === 'tasks/sendSubscribe') {
        response.setHeader('content-type', 'text/event-stream');
        const events = [
          { id: 'm', status: { state: 'working' }, final: false },
          { id: 'm', artifact: { ...task.artifacts[0], append: false, lastChunk: true } },
          { id: 'm', status: task.status, final: true },
        ];
        for (const result of events) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
        response.end();
      } else rpc(task)(response, one);
    });
    const client = clientOf(url, { codec: clientCodecV03 });
    const expected = {
      ...{ id: 'm', contextId: 's', artifacts: [{ artifactId: '0', parts: [{ text: 'Hello' }] }] },
      status: { state: 'TASK_STATE_COMPLETED', message: { role: 'ROLE_AGENT', parts: [{ text: 'Hello' }] } },
    };
    expect(await client.sendMessage({ message: { ...MESSAGE, contextId: 's' } })).toMatchObject({ task: expected });
    expect(JSON.parse(seen[1]!.body)).toMatchObject({
      method: 'tasks/send',
      params: { id: 'm', sessionId: 's', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } },
    });
    for (const one of [client, clientOf(url, { codec: clientCodecV01 })]) {
      expect(await one.getTask({ id: 'm' })).toMatchObject(expected);
      expect(await one.cancelTask({ id: 'm' })).toMatchObject({ id: 'm' });
      expect(
        (await collect(one.streamMessage({ message: MESSAGE }))).map(({ event }) => Object.keys(event)[0]),
      ).toEqual(['statusUpdate', 'artifactUpdate', 'statusUpdate']);
    }
  });

  it('gives the first error of an agent that knows the methods of no version (S7)', async () => {
    const { url, seen } = await agent((response, { body }) => {
      const { id, method } = JSON.parse(body) as { id: string; method: string };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: method } }));
    });
    const client = clientOf(url, { codec: clientCodecV03 });
    await expect(client.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ message: 'message/send' });
    await expect(collect(client.streamMessage({ message: MESSAGE }))).rejects.toMatchObject({
      message: 'message/stream',
    });
    expect(seen).toHaveLength(4);
  });

  it('A2ACLI_SEND_003: reads the one answer of an agent that does not stream', async () => {
    const { url } = await agent(rpc({ message: { ...MESSAGE, role: 'ROLE_AGENT' } }));
    expect(await collect(clientOf(url).streamMessage({ message: MESSAGE }))).toEqual([
      { id: undefined, event: { message: { ...MESSAGE, role: 'ROLE_AGENT' } } },
    ]);
  });

  it.each([
    ['text that is no JSON', (response: ServerResponse) => response.end('hello')],
    ['the id of another call', (response: ServerResponse) => response.end('{"jsonrpc":"2.0","id":"x","result":{}}')],
    ['no JSON-RPC', (response: ServerResponse) => response.end('{"result":{}}')],
    ['more than it may', (response: ServerResponse) => response.end(`"${'x'.repeat(5000)}"`)],
    ['deep JSON', (response: ServerResponse) => response.end('['.repeat(2000) + ']'.repeat(2000))],
    ['a poisoned prototype', (response: ServerResponse) => response.end('{"__proto__":{"a":1}}')],
  ])('an answer with %s is an invalid answer', async (_what, answer) => {
    const { url } = await agent(answer);
    await expect(clientOf(url).getTask({ id: 't' })).rejects.toMatchObject({ kind: 'invalid-answer' });
  });

  it('takes a redirect as a refusal before the start, and does not follow it', async () => {
    const away = (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    const { url } = await agent(away);
    const failed = clientOf(url).getTask({ id: 't' });
    await expect(failed).rejects.toMatchObject({ kind: 'refused', isDoubtful: false, isRetryable: false });
  });

  it('an answer that never ends is cut at its bound, and one that never begins at its deadline', async () => {
    const endless = await agent((response) => {
      const more = (): void => {
        while (response.write('x'.repeat(1000)));
        response.once('drain', more);
      };
      more();
    });
    await expect(clientOf(endless.url).getTask({ id: 't' })).rejects.toMatchObject({ kind: 'invalid-answer' });
    const silent = await agent(() => undefined);
    const call = { deadlines: { headers: 50 } };
    await expect(clientOf(silent.url).getTask({ id: 't' }, call)).rejects.toMatchObject({ kind: 'timeout' });
    const slow = await agent((response) => response.write('{'));
    await expect(clientOf(slow.url).getTask({ id: 't' }, { deadlines: { total: 50 } })).rejects.toMatchObject({
      kind: 'timeout',
    });
    const mute = await agent(stream((response) => response.write(':\n')));
    const listening = collect(clientOf(mute.url).streamMessage({ message: MESSAGE }, { deadlines: { idle: 50 } }));
    await expect(listening).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('an error, a lie and a long line in the middle of a stream end it', async () => {
    const cases: readonly [Answer, object][] = [
      [
        (response, seen) => {
          response.write(event(seen, { task: TASK }));
          const error = { code: -32000, message: 'token expired', data: [{ reason: 'UNAUTHENTICATED' }] };
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: idOf(seen), error })}\n\n`);
        },
        { kind: 'auth', message: 'token expired' },
      ],
      [(response, seen) => response.write(event(seen, { task: { id: 7 } })), { kind: 'invalid-answer' }],
      [(response) => response.write('x'.repeat(4000)), { kind: 'invalid-answer' }],
      [
        (response) => response.write('data: {"jsonrpc":"2.0","id":"other","result":{}}\n\n'),
        { kind: 'invalid-answer' },
      ],
    ];
    for (const [answer, error] of cases) {
      const { url } = await agent(stream(answer));
      await expect(collect(clientOf(url).streamMessage({ message: MESSAGE }))).rejects.toMatchObject(error);
    }
  });

  it('A2ACLI_OUT_004: the same fault has the same name over both bindings', async () => {
    const viaRpc = await agent((response, { body }) =>
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, error: { code: -32001, message: 'gone' } }),
      ),
    );
    const viaRest = await agent((response) =>
      response
        .writeHead(404)
        .end(JSON.stringify({ error: { code: 404, message: 'gone', details: [{ reason: 'TASK_NOT_FOUND' }] } })),
    );
    const same = { kind: 'refused', protocolFault: 'TaskNotFound' };
    await expect(clientOf(viaRpc.url).getTask({ id: 't' })).rejects.toMatchObject(same);
    await expect(clientOf(viaRest.url, { binding: 'HTTP+JSON' }).getTask({ id: 't' })).rejects.toMatchObject(same);
  });

  it('says whether to try again, and when', async () => {
    const busy = await agent((response) => response.writeHead(429, { 'retry-after': '7' }).end('later'));
    await expect(clientOf(busy.url).getTask({ id: 't' })).rejects.toMatchObject({
      ...{ kind: 'busy', status: 429, retryAfterMs: 7000, isRetryable: true, isDoubtful: false },
    });
    const broken = await agent((response) => response.writeHead(502).end('<html>'));
    await expect(clientOf(broken.url).getTask({ id: 't' })).rejects.toMatchObject({
      isRetryable: true,
      isDoubtful: true,
    });
    await expect(clientOf('http://127.0.0.1:1').getTask({ id: 't' })).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('gets a token with client credentials, once for calls at the same time, and another one when it is refused', async () => {
    let tokens = 0;
    const issuer = await agent((response) => {
      tokens += 1;
      response.end(JSON.stringify({ access_token: `token-${String(tokens)}`, expires_in: 3600 }));
    });
    const { url, seen } = await agent((response, one) => {
      if (one.headers.authorization === 'Bearer token-1' && seen.length > 2) response.writeHead(401).end();
      else rpc(TASK)(response, one);
    });
    const options = { tokenUrl: issuer.url, clientId: 'me', clientSecret: 's:ä', audience: 'finance', scope: 'a b' };
    const client = clientOf(url, { auth: new ClientCredentialsAuth(options, new PlainHttp()) });
    await Promise.all([client.getTask({ id: 't' }), client.getTask({ id: 't' })]);
    expect(tokens).toBe(1);
    expect(issuer.seen[0]).toMatchObject({ body: 'grant_type=client_credentials&scope=a+b&audience=finance' });
    const basic = Buffer.from(String(issuer.seen[0]?.headers.authorization).slice(6), 'base64').toString();
    expect(basic).toBe('me:s%3A%C3%A4');
    await client.getTask({ id: 't' });
    expect(tokens).toBe(2);
    expect(seen.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  it('A2ACLI_AUTH_004, A2A-SEC-07: logs the sent request without its credential', async () => {
    const lines: string[] = [];
    const { url } = await agent((response, seen) => rpc({ ...TASK, metadata: { token: 'CANARY-4' } })(response, seen));
    const auth = {
      credential: async () => ({ ...bearerCredential('CANARY-1'), query: { key: 'CANARY-2' } }),
      renew: () => false,
    };
    const endpoint = { url, binding: 'JSONRPC', codec: clientCodecV1, tenant: undefined } as const;
    const http = new LoggedHttp(new PlainHttp(), (line) => lines.push(line));
    const client = new AgentClient({ endpoint, http, auth });
    const taskPushNotificationConfig = { url: 'https://a.example', token: 'CANARY-3' };
    await client.getTask({ id: 't' });
    await client.sendMessage({ message: MESSAGE, configuration: { taskPushNotificationConfig } }).catch(() => null);
    expect(lines.join('\n')).toContain('"method":"GetTask"');
    expect(lines.join('\n')).toMatch(/< 200 after \d+ ms/);
    expect(lines.join('\n')).not.toContain('CANARY');
  });

  it('A2ACLI_AUTH_001: an API key goes where its scheme says', async () => {
    const { url, seen } = await agent(rpc(TASK));
    await clientOf(url, { auth: fixedAuth({ headers: { 'x-key': 'k' } }) }).getTask({ id: 't' });
    await clientOf(url, { auth: fixedAuth({ query: { key: 'a b' } }) }).getTask({ id: 't' });
    expect(seen[0]?.headers['x-key']).toBe('k');
    expect(seen[1]?.path).toBe('/?key=a+b');
  });
});
