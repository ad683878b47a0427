import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { useServices } from '../../../kit/app/started-services.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';
import { eventually } from '../../../kit/run/eventually.js';

/** A worker keeps the leases of its runs for 30 s while its event loop is blocked. */
const TIMEOUT_MS = 150_000;
const NEIGHBOURS = 6;

const run = useServices();

it(
  'hands the runs beside an endless loop over after 30 s without an attempt, and fails only the loop (H2, I17)',
  async () => {
    const shared = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, SKILLS: './test/fixtures/endless' };
    const api = run({ ...shared, ROLE: 'api' });
    run({ ...shared, ROLE: 'dispatcher' });
    const blocked = run({ ...shared, ROLE: 'worker' });
    await blocked.ready();
    const client = new RpcClient(await api.ready());
    const send = async (skillId: string): Promise<string> => {
      const params = { ...aMessage('go', { skillId }), configuration: { returnImmediately: true } };
      return (await client.task('SendMessage', params)).id;
    };
    const placesOf = (ids: readonly string[]): Promise<readonly unknown[]> =>
      Promise.all(ids.map(async (id) => (await client.task('GetTask', { id })).status.message?.parts));
    const all = (pid: number | undefined): readonly unknown[] =>
      Array.from({ length: NEIGHBOURS }, () => [{ text: `${String(pid)} 1` }]);

    const neighbours = await Promise.all(Array.from({ length: NEIGHBOURS }, () => send('beside')));
    await eventually(async () => expect(await placesOf(neighbours)).toEqual(all(blocked.child.pid)), {
      timeoutMs: 20_000,
    });
    const endless = await send('endless');
    const other = run({ ...shared, ROLE: 'worker' });
    await other.ready();

    await eventually(async () => expect(await placesOf(neighbours)).toEqual(all(other.child.pid)), {
      timeoutMs: 60_000,
      intervalMs: 500,
    });
    const { status } = await eventually(
      async () => {
        const task = await client.task('GetTask', { id: endless });
        expect(task.status.state).toBe('TASK_STATE_FAILED');
        return task;
      },
      { timeoutMs: 20_000 },
    );
    expect(status.message?.parts).toEqual([{ text: expect.stringMatching(/^The worker was lost each time/) }]);
    const line = blocked.output.find((text) => text.includes('event-loop.blocked'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ skill: 'endless', taskId: endless, handedOver: NEIGHBOURS });
    expect(blocked.child.exitCode).toBeNull();
  },
  TIMEOUT_MS,
);
