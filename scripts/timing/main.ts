/**
 * Whether response times reveal which tasks exist: calls for tasks of others, tasks that never existed and tasks that
 * were removed, in random order: `npm run bench:timing [-- SAMPLES]`. Starts Redis and a service on loopback, and ends
 * them. Exits with 1 if two kinds differ.
 */
import { execFile } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { newTaskId, SHARDS } from '../../src/task/task.keys.js';
import { apiKeyEntry } from '../../test/kit/auth/api-key-entry.js';
import { RedisServer } from '../../test/kit/redis-server.js';
import { percentile } from '../chaos/figures.js';
import { ServiceProcess } from '../../test/kit/service-process.mjs';
import { compare, DISTINGUISHABLE } from './rank-sum.js';

const SAMPLES = Number(process.argv[2] ?? 2_000);
const WARM_UP = 200;
/** Ids of each kind, so that no kind is better known to any cache than another. */
const IDS = 50;
const KINDS = ['unknown', 'foreign', 'deleted'] as const;
type Kind = (typeof KINDS)[number];

const keyOf = (tenant: string): string => `${tenant}.0123456789abcdef`;

const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read';
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
  ...{ RATE_WRITE: plenty, RATE_READ: plenty, RATE_ADDRESS: 'off' },
  DATA_DIR: join(tmpdir(), `parley-timing-${randomUUID()}`),
};
const service = new ServiceProcess(variables);
try {
  const url = await service.ready();
  const client = new Client(url);

  const call = async (tenant: string, method: string, params: object): Promise<string> => {
    const response = await client.request({
      ...{ method: 'POST', path: '/' },
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keyOf(tenant) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.body.text();
  };

  /** A task with something to read, in case that somebody reads it who only looks whose it is. */
  const begun = async (tenant: string): Promise<string> => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'x'.repeat(20_000) }] };
    const metadata = { note: 'y'.repeat(20_000) };
    const taskPushNotificationConfig = { id: 'hook', url: `http://${webhookHost}/`, token: 'secret' };
    const answer = await call(tenant, 'SendMessage', {
      ...{ message: { ...message, metadata: { skillId: 'echo' } }, metadata },
      configuration: { taskPushNotificationConfig },
    });
    return (JSON.parse(answer) as { result: { task: { id: string } } }).result.task.id;
  };

  const ids: Record<Kind, string[]> = { unknown: [], foreign: [], deleted: [] };
  for (let count = 0; count < IDS; count += 1) {
    ids.unknown.push(newTaskId(count % SHARDS));
    ids.foreign.push(await begun('other'));
    ids.deleted.push(await begun('caller'));
  }
  await promisify(execFile)(
    process.execPath,
    ['dist/cli/parley.js', 'ops', 'purge', '--tenant', 'caller', '--client', 'client', '--all', '--yes'],
    { env: { ...variables, PATH: process.env.PATH } },
  );

  const operations: Readonly<Record<string, (id: string) => object>> = {
    GetTask: (id) => ({ id }),
    CancelTask: (id) => ({ id }),
    GetTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'hook' }),
    // As an intent is continued: its answer goes to its task.
    SendMessage: (taskId) => ({
      message: { messageId: randomUUID(), role: 'ROLE_USER', taskId, parts: [{ text: 'x' }] },
    }),
  };

  const answers = new Set<string>();
  const timeOf = async (operation: string, kind: Kind): Promise<number> => {
    const params = operations[operation]?.(ids[kind][randomInt(IDS)] ?? '') ?? {};
    const began = performance.now();
    const answer = await call('caller', operation, params);
    const time = performance.now() - began;
    answers.add(answer);
    return time;
  };

  const times: Record<string, Record<Kind, number[]>> = {};
  for (const operation of Object.keys(operations)) times[operation] = { unknown: [], foreign: [], deleted: [] };
  const measureAll = async (): Promise<void> => {
    for (const [operation, of] of Object.entries(times)) {
      for (const kind of shuffled(KINDS)) of[kind].push(await timeOf(operation, kind));
    }
  };
  for (let round = 0; round < WARM_UP + SAMPLES; round += 1) await measureAll();
  await client.close();

  const verdicts = Object.entries(times).map(([operation, of]) => isAlike(operation, of));
  const alike = answers.size === 1 && verdicts.every(Boolean);
  if (answers.size > 1) console.log(`The answers differ: ${[...answers].join('\n')}`);
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

/** Prints what was measured of an operation. False where two kinds can be told apart. */
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
