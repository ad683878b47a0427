/**
 * Whether response times reveal which tasks and MCP sessions exist: calls for tasks of others, tasks that never existed and
 * tasks that were removed, in random order: `npm run bench -- timing [-- SAMPLES]`. Starts Redis and a service on loopback, and
 * ends them. Exits with 1 if two kinds differ.
 */
import { execFile } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { Client } from 'undici';
import { newTaskId, SHARDS } from '../../src/tasks/task.keys.js';
import { apiKeyEntry } from '../../test/kit/auth/api-key-entry.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { percentile } from '../chaos/check/figures.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { temporaryFolder } from '../../test/kit/run/temporary-folder.mjs';
import { compare, DISTINGUISHABLE } from './rank-sum.js';

const SAMPLES = Number(process.argv[2] ?? 2_000);
const WARM_UP = 200;
/** Ids of each kind, so that no kind is better known to any cache than another. */
const IDS = 50;
const KINDS = ['unknown', 'foreign', 'deleted'] as const;
type Kind = (typeof KINDS)[number];
const ACCEPT = { accept: 'application/json, text/event-stream' };

/** The routes that name a task in their path, each by itself: two of one store may still do different work for a foreign task. */
const ROUTES: readonly (readonly ['GET' | 'POST' | 'DELETE', string, object?])[] = [
  ['GET', '/tasks/{id}'],
  ['POST', '/tasks/{id}:cancel', {}],
  ['GET', '/tasks/{id}:subscribe'],
  ['GET', '/tasks/{id}/pushNotificationConfigs'],
  ['GET', '/tasks/{id}/pushNotificationConfigs/hook'],
  ['DELETE', '/tasks/{id}/pushNotificationConfigs/hook'],
  ['GET', '/v1/tasks/{id}'],
  ['GET', '/webhooks/attempts/{id}'],
  ['GET', '/console/api/tasks/{id}'],
  ['GET', '/console/api/tasks/{id}/events'],
  ['GET', '/console/api/tasks/{id}/tree'],
  ['GET', '/console/api/tasks/{id}/content'],
  ['GET', '/console/api/tasks/{id}/raw'],
  ['GET', '/console/api/tasks/{id}/webhooks'],
  ['GET', '/console/api/tasks/{id}/bundle/content'],
  ['GET', '/console/api/tasks/{id}/bundle/stripped'],
  ['POST', '/console/api/tasks/{id}/cancel', {}],
  ['POST', '/console/api/tasks/{id}/rerun', {}],
];

const keyOf = (tenant: string): string => `${tenant}.0123456789abcdef`;

const SCOPES =
  'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read ' +
  'a2a:tasks.observe a2a:tasks.operate a2a:approvals.answer';
const API_KEYS = ['caller', 'other']
  .map((tenant) => apiKeyEntry(keyOf(tenant), { tenant, client: 'client', scopes: SCOPES }))
  .join(';');

const webhook = createServer((_request, response) => response.writeHead(204).end());
await once(webhook.listen(0, '127.0.0.1'), 'listening');
const webhookHost = `localhost:${String((webhook.address() as AddressInfo).port)}`;

const redis = await RedisServer.start();
const plenty = '99999999/99999999';
const variables = {
  ...{ REDIS_URL: redis.url, API_KEYS, AUDIT_LOG: devNull, EGRESS_ALLOW: `${webhookHost}=127.0.0.1/32!http` },
  ...{ RATE_WRITE: plenty, RATE_READ: plenty, RATE_ADDRESS: 'off', MCP: 'true' },
  DATA_DIR: temporaryFolder('timing'),
};
const service = new ServiceProcess(variables);
try {
  const url = await service.ready();
  const client = new Client(url);

  const post = (tenant: string, { verb = 'POST', path, headers, body }: Ask): ReturnType<Client['request']> =>
    client.request({
      ...{ method: verb, path, body: body === undefined ? null : JSON.stringify(body) },
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...{ 'x-api-key': keyOf(tenant), ...headers },
      },
    });
  const call = async (tenant: string, ask: Ask): Promise<string> => (await post(tenant, ask)).body.text();

  /** A task with content, since a reader may fetch it just to check its owner. */
  const begun = async (tenant: string): Promise<string> => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'x'.repeat(20_000) }] };
    const metadata = { note: 'y'.repeat(20_000) };
    const taskPushNotificationConfig = { id: 'hook', url: `http://${webhookHost}/`, token: 'secret' };
    const params = {
      ...{ message: { ...message, metadata: { skillId: 'echo' } }, metadata },
      configuration: { taskPushNotificationConfig },
    };
    const answer = await call(tenant, a2a('SendMessage', params));
    return (JSON.parse(answer) as { result: { task: { id: string } } }).result.task.id;
  };

  /** A session of MCP: its id says everything, and is sealed for its caller. */
  const session = async (tenant: string): Promise<string> => {
    const clientInfo = { name: 'timing', version: '0' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const { headers, body } = await post(tenant, {
      ...{ path: '/mcp', headers: ACCEPT },
      body: rpc('initialize', params),
    });
    await body.dump();
    return String(headers['mcp-session-id']);
  };

  const ids: Record<Kind, string[]> = { unknown: [], foreign: [], deleted: [] };
  const sessions: Record<Kind, string[]> = { unknown: [], foreign: [], deleted: [] };
  for (let count = 0; count < IDS; count += 1) {
    ids.unknown.push(newTaskId(count % SHARDS));
    ids.foreign.push(await begun('other'));
    ids.deleted.push(await begun('caller'));
    const foreign = await session('other');
    sessions.foreign.push(foreign);
    sessions.unknown.push(foreign.replace(/[^.]+$/, randomText));
    // No session is removed: one of the caller's own that was changed replaces it.
    sessions.deleted.push(
      (await session('caller')).replace(
        /\.(.)([^.]+)$/,
        (_all, first, rest) => `.${first === 'A' ? 'B' : 'A'}${String(rest)}`,
      ),
    );
  }
  await promisify(execFile)(
    process.execPath,
    ['dist/cli/parley.js', 'ops', 'purge', '--tenant', 'caller', '--client', 'client', '--all', '--yes'],
    { env: { ...variables, PATH: process.env.PATH } },
  );

  const ofTasks: Readonly<Record<string, (id: string) => Ask>> = {
    GetTask: (id) => a2a('GetTask', { id }),
    CancelTask: (id) => a2a('CancelTask', { id }),
    SubscribeToTask: (id) => a2a('SubscribeToTask', { id }),
    GetTaskPushNotificationConfig: (taskId) => a2a('GetTaskPushNotificationConfig', { taskId, id: 'hook' }),
    // As an intent is continued: its answer goes to its task.
    SendMessage: (taskId) =>
      a2a('SendMessage', { message: { messageId: randomUUID(), role: 'ROLE_USER', taskId, parts: [{ text: 'x' }] } }),
    ListTaskPushNotificationConfigs: (taskId) => a2a('ListTaskPushNotificationConfigs', { taskId }),
    DeleteTaskPushNotificationConfig: (taskId) => a2a('DeleteTaskPushNotificationConfig', { taskId, id: 'hook' }),
    CreateTaskPushNotificationConfig: (taskId) =>
      a2a('CreateTaskPushNotificationConfig', { taskId, id: 'hook', url: `http://${webhookHost}/` }),
    'tasks/get of 0.3': (id) => older('tasks/get', { id }),
    'tasks/cancel of 0.3': (id) => older('tasks/cancel', { id }),
    'tasks/resubscribe of 0.3': (id) => older('tasks/resubscribe', { id }),
    'tasks/pushNotificationConfig/list of 0.3': (id) => older('tasks/pushNotificationConfig/list', { id }),
    ...Object.fromEntries(
      ROUTES.map(([verb, path, body]) => [
        `${verb} ${path}`,
        (id: string): Ask => ({
          ...{ verb, path: path.replace('{id}', id), headers: { 'a2a-version': '1.0' } },
          ...(body === undefined ? {} : { body }),
        }),
      ]),
    ),
    'MCP tasks/get': (taskId) => mcp('tasks/get', { taskId }, taskId),
    'MCP tasks/cancel': (taskId) => mcp('tasks/cancel', { taskId }, taskId),
    'MCP resources/read': (taskId) => {
      const uri = `parley://tasks/${taskId}/artifacts/echo`;
      return mcp('resources/read', { uri }, uri);
    },
  };
  const ofSessions = (id: string): Ask => ({
    ...{ path: '/mcp', body: rpc('ping', {}) },
    headers: { ...ACCEPT, 'mcp-session-id': id },
  });
  const rows: readonly Row[] = [
    ...Object.entries(ofTasks).map(([name, ask]) => rowOf(name, ask, ids)),
    rowOf('an MCP session', ofSessions, sessions),
  ];

  const measure = async ({ ask, ids, times, answers }: Row, kind: Kind): Promise<void> => {
    const id = ids[kind][randomInt(IDS)] ?? '';
    const asked = ask(id);
    const began = performance.now();
    const answer = await call('caller', asked);
    times[kind].push(performance.now() - began);
    answers.add(answer.replaceAll(id, '<id>'));
  };
  const stored = new Redis(redis.url);
  const measureAll = async (): Promise<void> => {
    // The rate of the console's API is not a setting: each round begins with all of it.
    const rates = await stored.keys('*:rate:*');
    if (rates.length > 0) await stored.unlink(rates);
    for (const row of rows) for (const kind of shuffled(KINDS)) await measure(row, kind);
  };
  for (let round = 0; round < WARM_UP + SAMPLES; round += 1) await measureAll();
  await client.close();
  stored.disconnect();

  const verdicts = rows.map(({ name, times }) => isAlike(name, times));
  const differing = rows.filter(({ answers }) => answers.size > 1);
  const alike = differing.length === 0 && verdicts.every(Boolean);
  for (const { name, answers } of differing) console.log(`The answers of ${name} differ: ${[...answers].join('\n')}`);
  console.log(
    alike
      ? `Not distinguishable: no |z| above ${String(DISTINGUISHABLE)} in ${String(SAMPLES)} samples of each kind.`
      : `DISTINGUISHABLE, by |z| above ${String(DISTINGUISHABLE)} or by the answers.`,
  );
  process.exitCode = alike ? 0 : 1;
} finally {
  await service.stop('SIGKILL');
  await redis.stop();
  webhook.close();
}
process.exit();

/** Requests for one name of each kind, and their times. */
interface Row {
  readonly name: string;
  readonly ask: (id: string) => Ask;
  readonly ids: Readonly<Record<Kind, readonly string[]>>;
  readonly times: Readonly<Record<Kind, number[]>>;
  readonly answers: Set<string>;
}

interface Ask {
  /** Default POST. */
  readonly verb?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

function rowOf(name: string, ask: Row['ask'], ids: Row['ids']): Row {
  return { name, ask, ids, times: { unknown: [], foreign: [], deleted: [] }, answers: new Set() };
}

function a2a(method: string, params: object): Ask {
  return { path: '/', headers: { 'a2a-version': '1.0' }, body: rpc(method, params) };
}

function older(method: string, params: object): Ask {
  return { path: '/', headers: { 'a2a-version': '0.3' }, body: rpc(method, params) };
}

function rpc(method: string, params: object): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** A request of the stateless revision. @param name of the resource in the params */
function mcp(method: string, params: object, name: string): Ask {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const headers = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name };
  return { path: '/mcp', headers, body: rpc(method, { ...params, _meta }) };
}

/** As many random bytes as a sealed text has. */
function randomText(sealed: string): string {
  return randomBytes(Buffer.from(sealed, 'base64url').length).toString('base64url');
}

/** Prints the figures of an operation. False where two kinds can be distinguished. */
function isAlike(operation: string, all: Readonly<Record<Kind, readonly number[]>>): boolean {
  const [unknown = [], foreign = [], deleted = []] = KINDS.map((kind) => all[kind].slice(WARM_UP));
  const of = { unknown, foreign, deleted };
  console.log(operation);
  console.log(`  median: ${KINDS.map((kind) => `${kind} ${percentile(of[kind], 0.5).toFixed(3)} ms`).join(', ')}`);
  const pairs = [
    ['unknown', 'foreign'],
    ['unknown', 'deleted'],
    ['foreign', 'deleted'],
  ] as const;
  return pairs
    .map(([first, second]) => {
      const { longer, z } = compare(of[first], of[second]);
      console.log(`  ${second} is slower than ${first} in ${(longer * 100).toFixed(1)} %, z ${z.toFixed(2)}`);
      return Math.abs(z) <= DISTINGUISHABLE;
    })
    .every(Boolean);
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: randomInt(2 ** 32) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
