import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/run/eventually.js';
import { testRedisUrl } from '../../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { ServiceProcess } from '../../../kit/app/service-process.mjs';

interface Line {
  readonly event?: string;
  readonly level: string;
  readonly taskId?: string;
  readonly attempt?: number;
}

describe('the log of a takeover', () => {
  it('says at info that a run was lost, and that another process goes on with its task', async () => {
    const variables = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, LOG_LEVEL: 'info' };
    const first = new ServiceProcess(variables);
    const client = new RpcClient(await first.ready());
    const message = aMessage('60', { skillId: 'countdown' });
    const { id } = await client.task('SendMessage', { ...message, configuration: { returnImmediately: true } });
    await eventually(async () => expect((await client.task('GetTask', { id })).status.state).toContain('WORKING'));
    const second = new ServiceProcess(variables);
    await second.ready();
    try {
      await first.stop('SIGKILL');
      const lines = (): readonly Line[] => second.output.map((line) => JSON.parse(line) as Line);
      await eventually(() => expect(lines().map(({ event }) => event)).toContain('run.taken-over'), {
        timeoutMs: 20_000,
      });
      expect(lines().find(({ event }) => event === 'run.lost')).toMatchObject({ level: 'info', taskId: id });
      expect(lines().find(({ event }) => event === 'run.taken-over')).toMatchObject({
        ...{ level: 'info', taskId: id, attempt: 2 },
      });
    } finally {
      await second.stop('SIGKILL');
    }
  }, 60_000);
});
