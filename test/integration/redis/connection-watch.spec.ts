import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConnectionWatch } from '../../../src/platform/redis/health/connection-watch.js';
import { isClosed } from '../../../src/platform/redis/connection/keep-open.js';
import { connect, type ConnectionUse, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { skipTime } from '../../kit/run/skipped-time.js';
import { SlowWire } from '../../kit/redis/topology/slow-wire.js';

const USES: readonly ConnectionUse[] = ['command', 'operator', 'blocking', 'subscriber'];

const ANSWER_MS = 250;

describe(ConnectionWatch, () => {
  let wire: SlowWire;
  let client: RedisClient;

  afterEach(() => {
    jest.restoreAllMocks();
    if (!isClosed(client)) client.disconnect();
    wire.close();
  });

  async function watched(use: ConnectionUse): Promise<ConnectionWatch> {
    const address = new URL(testRedisUrl());
    wire = await SlowWire.before(Number(address.port), 0);
    address.port = String(wire.port);
    client = connect(address.href, use);
    client.on('error', () => undefined);
    const watch = new ConnectionWatch({ name: use, client, isBlocked: false }, ANSWER_MS);
    await eventually(async () => {
      await watch.check();
      expect(watch.goneMs).toBe(0);
    });
    return watch;
  }

  it.each(USES)(
    'opens a connection anew whose peer says nothing for 30 s, and not before: %s (I18, C1)',
    async (use) => {
      const watch = await watched(use);
      let opened = 0;
      client.on('connect', () => (opened += 1));
      wire.vanish();
      await watch.check();
      expect(watch.goneMs).toBeGreaterThan(0);
      expect(opened).toBe(0);
      skipTime(31_000);
      await watch.check();
      expect(watch.goneMs).toBeGreaterThan(30_000);
      await eventually(async () => {
        await watch.check();
        expect(watch.goneMs).toBe(0);
      });
      expect(opened).toBe(1);
      await client.ping();
    },
  );
});
