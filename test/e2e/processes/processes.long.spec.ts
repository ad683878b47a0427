import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { aMessage, RpcClient, type SseEvent } from '../../kit/callers/rpc-client.js';
import { useServices } from '../../kit/app/started-services.js';

const TIMEOUT_MS = 60_000;

const run = useServices();

async function idOf(stream: AsyncGenerator<SseEvent>): Promise<string> {
  const { value } = (await stream.next()) as { value: SseEvent };
  return (value.data.result as { task: { id: string } }).task.id;
}

it(
  'several processes stream and cancel across api and worker (A2A-CANC-07, SEED-48)',
  async () => {
    const shared = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` };
    const [api, otherApi] = [run({ ...shared, ROLE: 'api' }), run({ ...shared, ROLE: 'api' })];
    run({ ...shared, ROLE: 'worker' });
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

it(
  'the default start ends within 3 s of Ctrl-C, and finds its tasks again (SEED-25, SEED-47)',
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

it(
  'several processes end the task of a worker that was killed, within 15 s',
  async () => {
    const shared = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` };
    const [api, worker] = [run({ ...shared, ROLE: 'api' }), run({ ...shared, ROLE: 'worker' })];
    run({ ...shared, ROLE: 'dispatcher' });
    const client = new RpcClient(await api.ready());
    const stream = client.stream('SendStreamingMessage', aMessage('2', { skillId: 'countdown' }));
    let id = '';
    for await (const { data } of stream) {
      id ||= (data.result as { task: { id: string } }).task.id;
      if (JSON.stringify(data.result).includes('artifactUpdate')) break;
    }
    await worker.stop('SIGKILL');
    const killed = Date.now();
    run({ ...shared, ROLE: 'worker' });
    await eventually(
      async () => {
        const task = await client.task('GetTask', { id });
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
        expect(task.artifacts?.[0]?.parts).toEqual([{ text: '2\n' }, { text: '1\n' }, { text: '0\n' }]);
      },
      { timeoutMs: 15_000 },
    );
    expect(Date.now() - killed).toBeLessThan(15_000);
  },
  TIMEOUT_MS,
);

it(
  'an AgentExecutor of the SDK ends its task in another process after a kill -9',
  async () => {
    const shared = {
      REDIS_URL: testRedisUrl(),
      KEY_PREFIX: `test-${randomUUID()}`,
      SKILLS: './test/fixtures/executor',
    };
    const first = run(shared);
    const client = new RpcClient(await first.ready());
    const { id } = await client.task('SendMessage', { ...aMessage('Go'), configuration: { returnImmediately: true } });
    await eventually(async () =>
      expect((await client.task('GetTask', { id })).status.state).toBe('TASK_STATE_WORKING'),
    );
    await first.stop('SIGKILL');
    const second = run(shared);
    const survivor = new RpcClient(await second.ready());
    await eventually(
      async () => {
        const task = await survivor.task('GetTask', { id });
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
        expect(task.artifacts?.map(({ parts }) => parts)).toEqual([
          [{ text: `Report by ${String(second.child.pid)}`, mediaType: 'text/plain' }],
        ]);
      },
      { timeoutMs: 20_000 },
    );
  },
  TIMEOUT_MS,
);

it(
  'a start waits for the data folder of a service that is ending',
  async () => {
    const first = run({ LEAVE_DELAY_MS: '1500' });
    const client = new RpcClient(await first.ready());
    const { id } = await client.task('SendMessage', aMessage('Remember me', { skillId: 'echo' }));
    first.child.kill('SIGTERM');
    await eventually(() => expect(first.output.join()).toContain('service.leaving'));
    const second = run({});
    const task = await new RpcClient(await second.ready()).task('GetTask', { id });
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'Remember me' }]);
    expect(await first.exited).toBe(0);
  },
  TIMEOUT_MS,
);

it(
  'a start says in one line that its Redis is not there',
  async () => {
    const service = run({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await service.exited).toBe(1);
    expect(service.output).toEqual([expect.stringMatching(/^Parley cannot start\. REDIS_URL: .*cannot be reached/)]);
  },
  TIMEOUT_MS,
);
