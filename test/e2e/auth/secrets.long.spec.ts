import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonValue } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ServiceProcess } from '../../kit/app/service-process.mjs';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { newCardSigningKeys } from '../../../src/agents/card/card-signing-keys.js';
import { SERVICE_V1 } from '../../../src/http/grpc/schema/schema.js';
import { freeLoopbackPort } from '../../../src/platform/redis/embedded/free-port.js';
import { connect } from '../../../src/platform/redis/connection/redis-client.js';
import { answer, Receiver } from '../../integration/webhooks/receiver.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { CERTIFICATE } from '../../kit/auth/certificate.js';
import { DpopCaller } from '../../kit/auth/dpop-caller.js';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import type { WireCall } from '../../kit/callers/every-way.js';
import { WireClient } from '../../kit/callers/wire-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { ECHO_TOOL, ToolServerStub } from '../../kit/mcp-tools/tool-server-stub.js';
import { OtlpCollector } from '../../kit/stubs/otlp-collector.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { Markers } from '../../kit/secrets/markers.js';
import { redisContent } from '../../kit/secrets/redis-content.js';
import { settingsFile } from '../../kit/app/settings-file.js';

const run = promisify(execFile);
const SCOPES =
  'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read a2a:card.extended a2a:webhooks.operate';

jest.setTimeout(90_000);

const markers = new Markers();
const signingSecret = `whsec_${markers.note('signing secret', randomBytes(32).toString('base64'))}`;
const pushToken = markers.plant('push token');
const pushCredentials = markers.plant('push credentials');
const addressPath = markers.plant('path of a webhook', 'its owner');
const addressQuery = markers.plant('query of a webhook', 'its owner');
const apiKey = `robot.${markers.plant('API key')}`;
const redisPassword = markers.plant('password of Redis');
const sealingKey = markers.note('sealing key', randomBytes(32).toString('base64'));
const collectorToken = markers.plant('header of the collector');
const cardKeys = newCardSigningKeys();
const toolToken = markers.plant('credential for a tool server');
/** Part of the task, and of no line and no span. */
const toolArgument = `argument-${randomUUID()}`;
const tools = new ToolServerStub();
const serversFile = join(tmpdir(), `parley-servers-${randomUUID()}.json`);
const auditFile = join(tmpdir(), `parley-secrets-${randomUUID()}.log`);

const collector = new OtlpCollector();
const good = new Receiver((request, response) => {
  // A receiver that gives everything away that it was sent.
  response.writeHead(200, { 'x-echo': JSON.stringify(request.headers) }).end(JSON.stringify(request));
});
const bad = new Receiver(answer(410));
/** All that callers and operators were told. */
const told: string[] = [];

let service: ServiceProcess;
let redis: RedisServer;
let issuer: TestIssuer;
let shared: Record<string, string>;
let url: string;
let client: WireClient;

beforeAll(async () => {
  noteDigestsAndKeys();
  [redis, issuer] = await Promise.all([RedisServer.start({ config: { appendonly: 'no' } }), TestIssuer.start()]);
  await redis.set('requirepass', redisPassword);
  await Promise.all([collector.listen(), good.listen(), bad.listen(), tools.start()]);
  await writeFile(serversFile, JSON.stringify(serversOf(tools)));
  const grpcPort = String(await freeLoopbackPort());
  shared = {
    ...{ LOG_LEVEL: 'debug', AUDIT_LOG: auditFile, DRAIN_MS: '0', BLOCKING_MS: '2000', OWNERSHIP: 'tenant' },
    REDIS_URL: redis.url.replace('//', `//:${redisPassword}@`),
    SECRET_KEYS: `k1:${sealingKey}`,
    CARD_SIGNING_KEYS: cardKeys,
    API_KEYS: apiKeyEntry(apiKey, { tenant: 'acme', scopes: SCOPES.replaceAll(' ', ',') }),
    ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, JWT_TENANT: 'acme', DPOP: 'true', GRPC_PORT: grpcPort },
    ...{ INGRESS_NETWORKS: '127.0.0.1/32' },
    ...{
      MCP: 'true',
      PARLEY_FILE: settingsFile({
        mcp: { acceptServiceAudience: true },
        auth: { clientCertificateHeader: 'ssl-client-cert' },
      }),
      MCP_SERVERS_FILE: serversFile,
      TOOL_TOKEN: toolToken,
    },
    EGRESS_ALLOW: [good, bad, tools].map(({ host }) => `${host}=127.0.0.1/32!http`).join(';'),
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    ...{ OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${collectorToken}`, OTEL_BSP_SCHEDULE_DELAY: '100' },
  };
  service = new ServiceProcess(shared);
  url = await service.ready();
  client = new WireClient(url, `127.0.0.1:${grpcPort}`);
  await callInEveryWay();
  await callWrongly();
  await look();
});

afterAll(async () => {
  client.close();
  await service.stop('SIGKILL');
  await Promise.all([issuer.stop(), good.close(), bad.close(), redis.stop(), tools.stop()]);
  await Promise.all([auditFile, serversFile].map((file) => rm(file, { force: true })));
  collector.close();
});

function noteDigestsAndKeys(): void {
  markers.note('digest of an API key', createHash('sha256').update(apiKey).digest('hex'));
  const { keys } = JSON.parse(cardKeys) as { keys: readonly { d: string }[] };
  for (const { d } of keys) markers.note('key that signs cards', d);
  markers.note('certificate of a caller', encodeURIComponent(CERTIFICATE.split('\n')[2] ?? ''));
}

/** A tool that callers see as a skill. */
function serversOf({ url: toolUrl }: ToolServerStub): object {
  const { description, inputSchema } = ECHO_TOOL;
  const echo = { pin: pinOf({ ...ECHO_TOOL }), exposeAs: 'tool_echo', definition: { description, inputSchema } };
  return { files: { url: toolUrl, auth: { type: 'bearer', token: 'env:TOOL_TOKEN' }, tools: { echo } } };
}

/** The part of a token that only its holder knows. */
function noteToken(name: string, token: string): string {
  markers.note(name, token.slice(token.lastIndexOf('.') + 1));
  return token;
}

/** Headers of callers for every way to authenticate. */
async function everyCaller(path: string): Promise<readonly Record<string, string>[]> {
  const claims = { client_id: 'automaton', sub: 'automaton', scope: SCOPES };
  const bearer = noteToken('token', issuer.token(claims));
  const dpop = new DpopCaller();
  const bound = noteToken('bound token', issuer.token({ ...claims, cnf: { jkt: await dpop.thumbprint() } }));
  const proof = noteToken('proof', dpop.proof(bound, `${AUDIENCE}${path}`));
  return [
    { authorization: `Bearer ${bearer}` },
    { 'x-api-key': apiKey },
    { authorization: `DPoP ${bound}`, dpop: proof },
    { authorization: `Bearer ${bearer}`, 'ssl-client-cert': encodeURIComponent(CERTIFICATE) },
  ];
}

/** Makes a call, and keeps all that came back. */
async function tell(call: WireCall, headers: Record<string, string>): Promise<string> {
  const { status, headers: received, body } = await client.call(call, headers);
  const text = JSON.stringify({ status, received, body, plain: Buffer.from(body, 'base64').toString('latin1') });
  told.push(text);
  return body;
}

function rpc(method: string, params: object, version = '1.0'): WireCall {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return { http: { method: 'POST', path: '/', version, body } };
}

function rest(method: 'GET' | 'POST', path: string, body?: object): WireCall {
  return { http: { method, path, version: '1.0', ...(body === undefined ? {} : { body: JSON.stringify(body) }) } };
}

function webhook(receiver: Receiver, id: string): Record<string, JsonValue> {
  const authentication =
    id === 'signed'
      ? { scheme: 'HMAC-SHA256', credentials: signingSecret }
      : { scheme: 'Bearer', credentials: pushCredentials };
  return { id, url: `http://${receiver.host}/${addressPath}?key=${addressQuery}`, token: pushToken, authentication };
}

function aMessage(): object {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }], metadata: { skillId: 'echo' } };
}

/** A call by MCP of a skill that calls a tool by MCP. */
async function callTool(caller: Record<string, string>): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'tool_echo', arguments: { text: toolArgument }, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const own = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'tool_echo' };
  const accept = 'application/json, text/event-stream';
  const headers = { ...caller, ...own, accept, 'content-type': 'application/json' };
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200, text: expect.stringContaining(toolArgument) });
  told.push(JSON.stringify([...response.headers]), text);
}

async function callInEveryWay(): Promise<void> {
  for (const caller of await everyCaller('/')) {
    if (caller.dpop === undefined) await callTool(caller);
    const taskPushNotificationConfig = webhook(good, 'inline');
    const body = await tell(
      rpc('SendMessage', { message: aMessage(), configuration: { taskPushNotificationConfig } }),
      caller,
    );
    const { result } = JSON.parse(body) as { result: { task: { id: string } } };
    const taskId = result.task.id;
    if (caller.dpop !== undefined) continue;
    for (const config of [webhook(good, 'signed'), webhook(bad, 'given-up')]) {
      await tell(rpc('CreateTaskPushNotificationConfig', { taskId, ...config }), caller);
    }
    await tell(rest('POST', `/tasks/${taskId}/pushNotificationConfigs`, webhook(good, 'rest')), caller);
    const message = { taskId, ...webhook(good, 'grpc') };
    await tell({ grpc: { service: SERVICE_V1, name: 'CreateTaskPushNotificationConfig', message } }, caller);
    await tell(rpc('ListTaskPushNotificationConfigs', { taskId }), caller);
    await tell(rest('GET', `/tasks/${taskId}/pushNotificationConfigs/signed`), caller);
    await tell(
      rpc('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: webhook(good, 'old') }, '0.3'),
      caller,
    );
    await tell(rest('GET', '/extendedAgentCard'), caller);
    await tell(rest('GET', '/tasks'), caller);
  }
}

/** What a caller does who has mixed something up: secrets in places where they are none, and none that are right. */
async function callWrongly(): Promise<void> {
  const stray = (name: string): string => markers.plant(`${name} (wrong)`);
  const [caller = {}] = await everyCaller('/');
  const message = aMessage();
  await tell(rest('GET', `/tasks?access_token=${stray('token in a query')}`), {});
  await tell(rest('GET', `/tasks?access_token=${stray('token in a query beside another')}`), caller);
  await tell(rest('GET', `/nowhere?key=${stray('query')}`), caller);
  for (const scheme of ['Basic', 'Bearer', 'DPoP']) {
    const header = { authorization: `${scheme} ${stray(scheme)}` };
    await tell(rpc('GetTask', { id: 'x' }), header);
    await tell(rest('GET', '/tasks'), header);
    await tell({ grpc: { service: SERVICE_V1, name: 'ListTasks', message: {} } }, header);
  }
  await tell(rpc('GetTask', { id: 'x' }), { 'x-api-key': `robot.${stray('API key')}` });
  await tell(rpc('GetTask', { id: 'x' }), { ...caller, dpop: stray('proof') });
  const configs: readonly Record<string, unknown>[] = [
    { url: `https://user:${stray('password of an address')}@hooks.example.com/` },
    { url: `ftp://hooks.example.com/?key=${stray('query of an address')}` },
    { url: 'https://hooks.example.com/', token: { is: stray('token that is no text') } },
    { url: 'https://hooks.example.com/', token: `${stray('token of two lines')}\n` },
    { url: 'https://hooks.example.com/', authentication: { scheme: 'Bear er', credentials: stray('credentials') } },
    { url: 'https://hooks.example.com/', authentication: stray('authentication that is no object') },
    { url: 'https://hooks.example.com/', password: stray('member that nobody knows') },
  ];
  for (const taskPushNotificationConfig of configs) {
    await tell(rpc('SendMessage', { message, configuration: { taskPushNotificationConfig } }), caller);
    await tell(rest('POST', '/message:send', { message, configuration: { taskPushNotificationConfig } }), caller);
  }
  const body = `{"token":"${stray('broken JSON')}"`;
  await tell({ http: { method: 'POST', path: '/', version: '1.0', body } }, caller);
}

/** What operators look at, once the webhooks have been delivered and given up. */
async function look(): Promise<void> {
  const operator = { 'x-api-key': apiKey };
  await eventually(
    async () => {
      const letters = await (await fetch(`${url}/webhooks/dead-letters`, { headers: operator })).text();
      expect(letters.match(/given-up/g)?.length ?? 0).toBeGreaterThanOrEqual(3);
      expect(new Set(good.received.map(({ headers }) => headers['x-a2a-task-id'])).size).toBe(4);
    },
    { timeoutMs: 30_000 },
  );
  const taskId = String(good.received[0]?.headers['x-a2a-task-id']);
  const paths = [
    ...['/metrics', '/health/ready', '/health/live', '/.well-known/agent-card.json', '/.well-known/jwks.json'],
    ...['/.well-known/oauth-protected-resource', '/webhooks/dead-letters', `/webhooks/attempts/${taskId}`],
    `/webhooks/endpoint?endpoint=${encodeURIComponent(bad.url)}`,
  ];
  for (const path of paths) {
    const response = await fetch(`${url}${path}`, { headers: operator });
    told.push(JSON.stringify([...response.headers]), await response.text());
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
  }
  await command('webhooks', 'list');
}

async function command(...words: readonly string[]): Promise<void> {
  const { PATH = '' } = process.env;
  const options = { env: { ...shared, PATH } };
  const { stdout, stderr } = await run(process.execPath, ['dist/cli/parley.js', 'ops', '--json', ...words], options);
  expect(stdout).not.toBe('');
  told.push(stdout, stderr);
}

describe('secrets (A2A-SEC-07, A2A-PCFG-10)', () => {
  it('are used', () => {
    const { headers = {}, path } = good.received.find(({ headers }) => headers.authorization !== undefined) ?? {};
    expect(headers).toMatchObject({
      authorization: `Bearer ${pushCredentials}`,
      'x-a2a-notification-token': pushToken,
    });
    expect(path).toBe(`/${addressPath}?key=${addressQuery}`);
    const signed = good.received.find((request) => request.headers.authorization === undefined);
    const verified = new Webhook(signingSecret).verify(signed?.body ?? '', signed?.headers as Record<string, string>);
    expect(verified).toHaveProperty('statusUpdate');
  });

  it('are found wherever a test hides them', () => {
    const token = Buffer.from(`..{"token":"${pushToken}"}`);
    for (const spelling of ['hex', 'base64', 'base64url', 'utf8'] as const) {
      expect(markers.foundIn(token.toString(spelling))).toEqual(['push token']);
    }
    expect(markers.foundIn(JSON.stringify({ sealingKey }))).toEqual(['sealing key']);
  });

  it('are in no key and no value of Redis', async () => {
    const reader = connect(shared.REDIS_URL ?? '', 'command');
    try {
      const content = await redisContent(reader);
      expect(content).toContain('s1.k1.');
      expect(markers.foundIn(content)).toEqual([]);
      await reader.hset('hidden', 'field', Buffer.from(`{"token":"${pushToken}"}`).toString('base64'));
      await reader.xadd('hidden too', '*', 'field', apiKey);
      expect(markers.foundIn(await redisContent(reader))).toEqual(['push token', 'API key']);
    } finally {
      reader.disconnect();
    }
  });

  it('are in no line of any process, audit lines among them', async () => {
    const audit = (await readFile(auditFile, 'utf8')).split('\n');
    const lines = [...service.output, ...audit];
    for (const event of ['audit', 'rpc.handled', 'rest.handled', 'grpc.handled', 'push.attempted']) {
      expect(lines.some((line) => line.includes(`"event":"${event}"`))).toBe(true);
    }
    for (const result of ['done', 'denied', 'failed']) expect(audit.join()).toContain(`"result":"${result}"`);
    expect(lines.filter((line) => markers.foundIn(line).length > 0)).toEqual([]);
  });

  it('are in no answer to callers, in no metric, and in nothing that operators see (A2A-CARD-04)', () => {
    expect(told.filter((text) => markers.foundIn(text, 'its owner').length > 0)).toEqual([]);
  });

  it('are in no line of a process that cannot start', async () => {
    const password = markers.plant('password of Redis (mistyped)');
    const REDIS_URL = redis.url.replace('//', `//:${password}@`);
    const { exited, output } = new ServiceProcess({ ...shared, REDIS_URL });
    expect(await exited).toBe(1);
    expect(output.join('\n')).toMatch(/Parley cannot start/);
    expect(markers.foundIn(output.join('\n'))).toEqual([]);
  });

  it('of callers are never sent to a tool server, and its own credential to nobody else (MCP-SEC-2, MCP-BRIDGE-3)', () => {
    expect(tools.calls).toEqual(['echo', 'echo', 'echo']);
    for (const { headers, params } of tools.requests) {
      expect(headers.authorization).toBe(`Bearer ${toolToken}`);
      expect(markers.foundIn(JSON.stringify([{ ...headers, authorization: '' }, params]))).toEqual([]);
    }
  });

  it('leave a span and a line of each tool call, which pass the trace on, without its arguments (MCP-STEP-9)', async () => {
    const spans = await eventually(() => {
      const found = collector.spans.filter(({ name }) => name === 'tools/call echo');
      expect(found).toHaveLength(3);
      return found;
    });
    const parents = tools.requests
      .filter(({ method }) => method === 'tools/call')
      .map(({ headers, params }) => {
        const { traceparent } = params._meta as { readonly traceparent: string };
        expect(headers.traceparent).toBe(traceparent);
        return traceparent.split('-')[2];
      });
    expect(parents.sort()).toEqual(spans.map(({ spanId }) => spanId).sort());
    expect(JSON.stringify(collector.spans)).not.toContain(toolArgument);
    expect(service.output.filter((line) => line.includes('"event":"tool.called"'))).toHaveLength(3);
    expect(service.output.join('\n')).not.toContain(toolArgument);
  });

  it('are in no span', async () => {
    await eventually(() => expect(collector.spans.some(({ name }) => name === 'POST')).toBe(true));
    const spans = collector.spans.map((span) => JSON.stringify(span));
    expect(spans.filter((span) => markers.foundIn(span).length > 0)).toEqual([]);
  });
});
