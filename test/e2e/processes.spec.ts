import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../kit/eventually.js';
import { testRedisUrl } from '../kit/redis.js';
import { aMessage, RpcClient, type SseEvent } from '../kit/rpc-client.js';
import { useServices } from '../kit/started-services.js';

const TIMEOUT_MS = 60_000;

const run = useServices();

async function idOf(stream: AsyncGenerator<SseEvent>): Promise<string> {
  const { value } = (await stream.next()) as { value: SseEvent };
  return (value.data.result as { task: { id: string } }).task.id;
}

describe('several processes on one Redis', () => {
  it(
    'stream and cancel across api and worker (A2A-CANC-07, SEED-48)',
    async () => {
      const shared = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` };
      const [api, otherApi] = [run({ ...shared, ROLE: 'api' }), run({ ...shared, ROLE: 'api' })];
      for (const ROLE of ['worker', 'dispatcher']) run({ ...shared, ROLE });
      const one = new RpcClient(await api.ready());
      const two = new RpcClient(await otherApi.ready());

      const stream = one.stream('SendStreamingMessage', aMessage('60', { skillId: 'countdown' }));
      const id = await idOf(stream);
      const artifact = await eventually(async () => {
        const { artifacts } = await two.task('GetTask', { id });
        if (artifacts === undefined) throw new Error('no number yet');
        return artifacts[0];
      });
      expect(artifact?.artifactId).toBe('countdown');
      expect((await two.task('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
      let last = '';
      for await (const { data } of stream) last = JSON.stringify(data.result);
      expect(last).toContain('TASK_STATE_CANCELED');
    },
    TIMEOUT_MS,
  );
});

describe('the default start', () => {
  it(
    'ends within 3 s of Ctrl-C, and finds its tasks again (SEED-25, SEED-47)',
    async () => {
      const first = run({});
      const client = new RpcClient(await first.ready());
      const { id } = await client.task('SendMessage', aMessage('Remember me', { skillId: 'echo' }));
      const before = Date.now();
      expect(await first.stop('SIGINT')).toBe(0);
      expect(Date.now() - before).toBeLessThan(3_000);

      const second = run({});
      const task = await new RpcClient(await second.ready()).task('GetTask', { id });
      expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'Remember me' }]);
    },
    TIMEOUT_MS,
  );
});
