import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkRedis } from '../../../src/cli/ops/doctor/redis-check.js';
import { assertFit } from '../../../src/platform/redis/health/fit.js';

const DENIED = '-DENIED Redis is running in protected mode because no password is set for the default user.\r\n';

/** What Redis does with a connection of another host while it is in protected mode: it says so, and closes. */
describe('a Redis in protected mode', () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined).end(DENIED);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `redis://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterEach(() => {
    server.close();
  });

  it.each(['redis://', 'redis-cluster://'])('ends a start with its reason, behind %s (KA-6)', async (form) => {
    const warned = jest.spyOn(console, 'warn');
    const start = assertFit(url.replace('redis://', form), { mostMs: 5_000 });
    await expect(start).rejects.toThrow(/is in protected mode.*requirepass/);
    expect(warned).not.toHaveBeenCalled();
  });

  it('is a finding of the doctor, with what to do (KA-6)', async () => {
    const findings = await checkRedis(url, { keyPrefix: 'parley' });
    expect(findings).toEqual([
      expect.objectContaining({ severity: 'fail', fix: 'Set a password there (requirepass) and in REDIS_URL' }),
    ]);
  });
});
