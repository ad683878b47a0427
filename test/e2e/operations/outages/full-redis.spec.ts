import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/run/eventually.js';
import { useAppOnOwnRedis } from '../../../kit/app/own-redis.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';

let own: ReturnType<typeof useAppOnOwnRedis>;

describe('a service whose Redis is full (maxmemory reached)', () => {
  own = useAppOnOwnRedis();

  it('refuses new tasks whole with 503 and Retry-After, goes on answering, and accepts again when there is room (A2A-ERR-06)', async () => {
    const client = new RpcClient(own.service.url);
    const { id } = await client.task('SendMessage', aMessage('before', { skillId: 'echo' }));
    await own.redis.set('maxmemory', '1');

    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const refused = await client.post({ jsonrpc: '2.0', id: 1, method, params: aMessage('x', { skillId: 'echo' }) });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    }
    expect((await client.task('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED');
    expect((await client.call('ListTasks', {})).result).toMatchObject({ totalSize: 1 });

    await own.redis.set('maxmemory', '0');
    await eventually(async () => {
      const task = await client.task('SendMessage', aMessage('after', { skillId: 'echo' }));
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    });
    expect((await client.call('ListTasks', {})).result).toMatchObject({ totalSize: 2 });
  });
});
