import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { useServices } from '../../kit/app/started-services.js';

const TIMEOUT_MS = 60_000;

const run = useServices();

describe('the start and the end of a process', () => {
  it(
    'are JSON lines where no terminal is, with what runs where and why it ended',
    async () => {
      const service = run({ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` });
      const address = await service.ready();
      expect(await service.stop('SIGTERM')).toBe(0);
      await eventually(() => expect(service.output).toHaveLength(4));
      const lines = service.output.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines).toEqual([
        expect.objectContaining({ level: 'info', event: 'service.started', role: 'all', address }),
        expect.objectContaining({ level: 'info', event: 'service.leaving', signal: 'SIGTERM' }),
        expect.objectContaining({ level: 'info', event: 'service.draining' }),
        expect.objectContaining({ level: 'info', event: 'service.ended', exitCode: 0, reason: 'drained' }),
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'come in order although the reader of the log has stopped',
    async () => {
      const service = run({
        ...{ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` },
        ...{ LOG_LEVEL: 'info', AUDIT_LOG: '/dev/null' },
      });
      const address = await service.ready();
      service.child.stdout.pause();
      const call = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      for (let sent = 0; sent < 3_000; sent += 50) {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(call) });
            expect(await response.json()).toHaveProperty('result.tasks');
          }),
        );
      }
      expect(await service.stop('SIGTERM')).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'end at once with a Ctrl-C that comes while the process drains',
    async () => {
      const service = run({ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}`, LEAVE_DELAY_MS: '30000' });
      await service.ready();
      service.child.kill('SIGTERM');
      await eventually(() => expect(service.output.join()).toContain('service.leaving'));
      await eventually(() => {
        service.child.kill('SIGINT');
        expect(service.child.exitCode).toBe(130);
      });
      await eventually(() => expect(service.output.at(-1)).toContain('interrupted again'));
    },
    TIMEOUT_MS,
  );

  it(
    'stay in order with one Ctrl-C that npm passes on beside the terminal',
    async () => {
      const service = run({ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` });
      await service.ready();
      service.child.kill('SIGINT');
      service.child.kill('SIGINT');
      expect(await service.exited).toBe(0);
      await eventually(() => expect(service.output.at(-1)).toContain('"reason":"drained"'));
    },
    TIMEOUT_MS,
  );
});

describe('a start that cannot be', () => {
  async function refusal(variables: Record<string, string>): Promise<{ code: number | null; lines: string[] }> {
    const service = run(variables);
    return { code: await service.exited, lines: service.output };
  }

  it(
    'says that the port is in use',
    async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => taken.once('listening', resolve));
      const PORT = String((taken.address() as AddressInfo).port);
      const { code, lines } = await refusal({ PORT, REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` });
      taken.close();
      expect(code).toBe(1);
      expect(lines).toEqual([`Parley cannot start. PORT ${PORT} is in use: choose another one.`]);
    },
    TIMEOUT_MS,
  );

  it.each<[string, Record<string, string>, RegExp]>([
    ['a bad PORT', { PORT: 'eighty' }, /^Parley cannot start\. PORT must be .*"eighty"/],
  ])(
    'says in one line what is wrong with %s',
    async (_what, variables, line) => {
      const { code, lines } = await refusal(variables);
      expect(code).toBe(1);
      expect(lines).toEqual([expect.stringMatching(line)]);
    },
    TIMEOUT_MS,
  );
});
