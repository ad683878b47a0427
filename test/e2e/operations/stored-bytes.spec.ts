import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { MemoryWatch } from '../../../src/platform/redis/health/memory-watch.js';
import { SweepStore } from '../../../src/tasks/store/sweep.store.js';
import { ALL_SHARDS, TaskKeys } from '../../../src/tasks/task.keys.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { aMessage, type RpcAnswer, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { answer, Receiver } from '../../integration/webhooks/receiver.js';

const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read a2a:tasks.observe';
const CONSOLE = 'a2a:tasks.operate a2a:agents.try a2a:registry.register a2a:registry.curate';
const CLIENTS = ['writer', 'greedy', 'last'];
const QUOTA = 3 * 1_048_576;
/** How many things each writer writes. */
const MANY = 30;

const bodyOf = (of: object): RequestInit => ({ method: 'POST', body: JSON.stringify(of) });

describe('what callers store', () => {
  let redis: RedisServer;
  let receiver: Receiver;
  let service: RunningApp;
  let keys: TaskKeys;

  beforeAll(async () => {
    [redis, receiver] = await Promise.all([RedisServer.start(), new Receiver(answer(500)).listen()]);
    service = await runApp({
      ...{
        REDIS_URL: redis.url,
        MCP: 'true',
        REGISTRY: 'true',
        QUOTA_BYTES_CLIENT: String(QUOTA),
        RATE_WRITE: '90000/90000',
      },
      API_KEYS: CLIENTS.map((tenant) =>
        apiKeyEntry(`${tenant}.secret`, { tenant, scopes: `${SCOPES} ${CONSOLE}` }),
      ).join('\n'),
      SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
    });
    keys = new TaskKeys(service.keyPrefix);
  }, 60_000);
  afterAll(async () => {
    await service.close();
    await Promise.all([redis.stop(), receiver.close()]);
  });

  const commands = (): CommandRedis => service.app.get<CommandRedis>(CommandRedis, { strict: false });
  const clientOf = (key: string): RpcClient => new RpcClient(service.url, { 'x-api-key': `${key}.secret` });

  async function counted(client: string): Promise<number> {
    const account = `c:${client}/${client}`;
    const sums = await Promise.all(ALL_SHARDS.map((shard) => commands().hget(keys.bytes(shard), account)));
    return sums.reduce((sum, bytes) => sum + Number(bytes ?? 0), 0);
  }

  /** Bytes of all keys of the service. */
  async function used(): Promise<number> {
    const names = await commands().keys(`${service.keyPrefix}:*`);
    const sizes = await Promise.all(names.map((name) => commands().memory('USAGE', name, 'SAMPLES', 0)));
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  /** A webhook as large as one may be, of events that do not come here. */
  function aWebhook(id: string = randomUUID().padEnd(200, 'x')) {
    const authentication = { scheme: 'Bearer', credentials: 'c'.repeat(4_000) };
    const url = `${receiver.url}/${'p'.repeat(1_800)}`;
    return { id, url, token: 't'.repeat(4_000), authentication, events: ['TASK_STATE_REJECTED'] };
  }

  async function waiting(client: RpcClient): Promise<string> {
    const message = aMessage('300', { skillId: 'countdown' });
    return (await client.task('SendMessage', { ...message, configuration: { returnImmediately: true } })).id;
  }

  type Writer = (client: RpcClient, taskId: string) => Promise<unknown>;

  /** Ways of callers to make Redis hold more. */
  const WRITERS: readonly (readonly [string, Writer])[] = [
    ['a task', (client) => client.task('SendMessage', aMessage('hello', { skillId: 'echo' }))],
    [
      'a task of a long context',
      (client) =>
        client.task('SendMessage', {
          message: { ...aMessage('x', { skillId: 'echo' }).message, contextId: randomUUID().repeat(3) },
        }),
    ],
    [
      'a task that no skill takes',
      (client) =>
        client.task('SendMessage', {
          message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ raw: 'AAAA', mediaType: 'model/vrml' }] },
        }),
    ],
    [
      'a task with many output modes',
      (client) =>
        client.task('SendMessage', {
          ...aMessage('hello', { skillId: 'echo' }),
          configuration: {
            acceptedOutputModes: Array.from({ length: 60 }, (_unused, n) => `text/${'x'.repeat(90)}${String(n)}`),
          },
        }),
    ],
    [
      'a message that continues a task',
      (client, taskId) =>
        client.task('SendMessage', {
          message: { ...aMessage('x').message, taskId },
          configuration: { returnImmediately: true },
        }),
    ],
    [
      'a webhook of 1.0',
      async (client) =>
        client.call('CreateTaskPushNotificationConfig', { taskId: await waiting(client), ...aWebhook() }),
    ],
    [
      'a webhook over HTTP+JSON',
      async (client) => rest(`/tasks/${await waiting(client)}/pushNotificationConfigs`, bodyOf(aWebhook())),
    ],
    ['a webhook of 0.3', async (client) => older(client, await waiting(client))],
    [
      'a message with a webhook',
      (client) =>
        client.task('SendMessage', {
          ...aMessage('hello', { skillId: 'echo' }),
          configuration: { taskPushNotificationConfig: aWebhook() },
        }),
    ],
    [
      'a further message with a webhook',
      async (client) =>
        client.task('SendMessage', {
          message: { ...aMessage('x').message, taskId: await waiting(client) },
          configuration: { returnImmediately: true, taskPushNotificationConfig: aWebhook() },
        }),
    ],
  ];

  let key = 'writer';

  const rest = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.url + path, {
      ...init,
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': `${key}.secret` },
    });

  const older = (client: RpcClient, taskId: string): Promise<Response> => {
    const { events: _events, ...pushNotificationConfig } = aWebhook();
    const params = {
      taskId,
      pushNotificationConfig: {
        ...pushNotificationConfig,
        authentication: { schemes: ['Bearer'], credentials: 'c'.repeat(4_000) },
      },
    };
    return client.post(
      { jsonrpc: '2.0', id: 1, method: 'tasks/pushNotificationConfig/set', params },
      { 'a2a-version': '0.3' },
    );
  };

  async function removeAll(): Promise<void> {
    const sweeps = service.app.get(SweepStore, { strict: false });
    for (const shard of ALL_SHARDS) {
      const found = await commands().keys(`${keys.shard(shard)}:task:*`);
      const ids = new Set(found.map((name) => name.split(':task:')[1]?.slice(0, 36) ?? ''));
      for (const id of ids) await sweeps.purge(id, 'whatever');
    }
  }

  it.each(WRITERS)(
    'counts for its client: %s, and no more when the task is removed (A6, I10)',
    async (_name, write) => {
      key = 'writer';
      const client = clientOf(key);
      const taskId = await waiting(client);
      await write(client, taskId);
      const before = { used: await used(), counted: await counted(key) };
      for (let n = 0; n < MANY; n += 1) await write(client, taskId);
      const took = (await used()) - before.used;
      const share = ((await counted(key)) - before.counted) / took;
      expect(share).toBeGreaterThan(0.6);
      await removeAll();
      await eventually(async () => {
        await removeAll();
        expect(await counted(key)).toBe(0);
      });
    },
  );

  it('is refused beyond the quota of bytes, webhooks as well as messages (A6)', async () => {
    const client = clientOf('greedy');
    const taskIds = await Promise.all(Array.from({ length: 30 }, () => waiting(client)));
    let refused: RpcAnswer | undefined;
    for (const taskId of taskIds) {
      const register = () => client.call('CreateTaskPushNotificationConfig', { taskId, ...aWebhook() });
      const answers = await Promise.all(Array.from({ length: 10 }, register));
      refused ??= answers.find(({ error }) => error !== undefined);
      if (refused !== undefined) break;
    }
    expect(JSON.stringify(refused?.error?.data)).toContain('stored-bytes');
    expect(await counted('greedy')).toBeLessThan(QUOTA * 1.2);
  }, 60_000);

  it('is refused at 90 % of the memory of Redis, while tasks can be read, canceled and removed (A6)', async () => {
    key = 'last';
    const client = clientOf(key);
    const taskId = await waiting(client);
    const { result } = await client.call('CreateTaskPushNotificationConfig', { taskId, ...aWebhook('kept') });
    expect(result).toMatchObject({ id: 'kept' });
    const memory = await commands().info('memory');
    await redis.set('maxmemory', String(Math.ceil(Number(/^used_memory:(\d+)/m.exec(memory)?.[1]) * 1.04)));
    await service.app.get(MemoryWatch, { strict: false }).check();

    const refusals = [
      client.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: aMessage('x', { skillId: 'echo' }) }),
      client.post({
        jsonrpc: '2.0',
        id: 1,
        method: 'CreateTaskPushNotificationConfig',
        params: { taskId, ...aWebhook() },
      }),
      older(client, taskId),
      rest(`/tasks/${taskId}/pushNotificationConfigs`, bodyOf(aWebhook())),
      rest('/webhooks/events', bodyOf({ url: receiver.url, types: ['*'] })),
      rest('/console/api/bin', { method: 'POST' }),
      rest('/registry/entries', bodyOf({ url: 'https://agent.example.com/', visibility: 'tenant' })),
    ];
    for (const refused of await Promise.all(refusals)) {
      expect([refused.url, refused.status, refused.headers.get('retry-after')]).toEqual([refused.url, 429, '60']);
    }
    expect((await client.task('GetTask', { id: taskId })).id).toBe(taskId);
    expect((await client.call('DeleteTaskPushNotificationConfig', { taskId, id: 'kept' })).error).toBeUndefined();
    expect((await client.task('CancelTask', { id: taskId })).status.state).toBe('TASK_STATE_CANCELED');
    await redis.set('maxmemory', '0');
  });
});
