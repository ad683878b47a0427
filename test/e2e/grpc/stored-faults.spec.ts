import { randomUUID } from 'node:crypto';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** Parts of messages that a version before the check of B3 has stored. */
const BAD_PARTS = [
  ...['[[]]', '[[{"text":"x"}]]', '[null]', '[5]', '["x"]', '[true]', '[{}]', '[{"text":5}]', '[{"text":null}]'],
  ...[
    '[{"raw":"?"}]',
    '[{"text":"x","data":{}}]',
    '[{"metadata":[]}]',
    '[{"text":"x","metadata":[[]]}]',
    '[[],{"text":"good"}]',
  ],
];

describe('tasks whose messages were stored with parts that are none', () => {
  const contextId = randomUUID();
  let running: RunningApp;
  let redis: Redis;
  let v1: GrpcClient;
  let v03: GrpcClient;
  let ids: readonly string[];

  beforeAll(async () => {
    running = await runApp({ GRPC_PORT: '0' });
    redis = new Redis(testRedisUrl());
    v1 = new GrpcClient(running.grpc ?? '', A2AService, { 'a2a-version': '1.0' });
    v03 = new GrpcClient(running.grpc ?? '', LegacyA2AService);
    ids = await Promise.all(BAD_PARTS.map(aTaskWith));
  });

  afterAll(async () => {
    v1.close();
    v03.close();
    redis.disconnect();
    await running.close();
  });

  async function aTaskWith(parts: string): Promise<string> {
    const { id } = await new RpcClient(running.url).task('SendMessage', {
      message: { messageId: randomUUID(), contextId, role: 'ROLE_USER', parts: [{ text: 'x' }] },
    });
    const key = new TaskKeys(running.keyPrefix).task(id);
    const first = JSON.parse((await redis.hget(key, 'h')) ?? '') as object;
    await redis.hset(key, 'h', JSON.stringify({ ...first, parts: '?' }).replace('"?"', parts));
    return id;
  }

  it('are read and listed over gRPC of 1.0 and 0.3 (B3)', async () => {
    for (const id of ids) {
      expect(await v1.call('getTask', { id, tenant: '' })).toMatchObject({ id });
      expect(await v03.call('getTask', { name: `tasks/${id}`, historyLength: 10 })).toMatchObject({ id });
    }
    const { tasks } = await v1.call('listTasks', {
      contextId,
      historyLength: 10,
      tenant: '',
      status: 0,
      pageToken: '',
    });
    expect(tasks.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
  });

  it.each(['0.3', '0.2', '0.1'])('are read by A2A %s (B3)', async (version) => {
    const client = new DialectClient(running.url, { 'a2a-version': version });
    for (const id of ids) expect(await client.result('tasks/get', { id, historyLength: 10 })).toMatchObject({ id });
  });

  it('keep the parts that fit (B3)', async () => {
    const { history } = await v1.call('getTask', { id: ids.at(-1), tenant: '' });
    expect(history[0].parts).toMatchObject([{ content: { $case: 'text', value: 'good' } }]);
  });
});
