import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RedisServer } from '../../support/redis-server.js';
import { aMessage, RpcClient } from '../../support/rpc-client.js';
import { runApp, type RunningApp } from '../../support/running-app.js';

let redis: RedisServer;
let service: RunningApp;

beforeAll(async () => {
  redis = await RedisServer.start();
  service = await runApp({ REDIS_URL: redis.url });
}, 60_000);

afterAll(async () => {
  // The server ends even when the service did not start.
  try {
    await service.close();
  } finally {
    await redis.stop();
  }
}, 60_000);

describe('a service whose Redis is full (maxmemory reached)', () => {
  it('refuses new tasks whole with 503 and Retry-After, goes on answering, and accepts again when there is room', async () => {
    const client = new RpcClient(service.url);
    const { id } = await client.task('SendMessage', aMessage('before', { skillId: 'echo' }));
    await redis.set('maxmemory', '1');

    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const refused = await client.post({ jsonrpc: '2.0', id: 1, method, params: aMessage('x', { skillId: 'echo' }) });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    }
    expect((await client.task('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED');
    expect((await client.call('ListTasks', {})).result).toMatchObject({ totalSize: 1 });

    await redis.set('maxmemory', '0');
    await eventually(async () => {
      const task = await client.task('SendMessage', aMessage('after', { skillId: 'echo' }));
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    });
    expect((await client.call('ListTasks', {})).result).toMatchObject({ totalSize: 2 });
  });
});
