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
  const opened: { readonly wire: SlowWire; readonly client: RedisClient }[] = [];

  afterEach(() => {
    jest.restoreAllMocks();
    for (const { wire, client } of opened.splice(0)) {
      if (!isClosed(client)) client.disconnect();
      wire.close();
    }
  });

  async function watched(use: ConnectionUse) {
    const address = new URL(testRedisUrl());
    const wire = await SlowWire.before(Number(address.port), 0);
    address.port = String(wire.port);
    const client = connect(address.href, use);
    opened.push({ wire, client });
    client.on('error', () => undefined);
    const watch = new ConnectionWatch({ name: use, client, isBlocked: false }, ANSWER_MS);
    await eventually(async () => {
      await watch.check();
      expect(watch.goneMs).toBe(0);
    });
    const opens = jest.fn();
    client.on('connect', opens);
    return { wire, client, watch, opens };
  }

  it('opens a connection of any use anew whose peer says nothing for 30 s, and not before (I18, C1)', async () => {
    const all = await Promise.all(USES.map(watched));
    for (const { wire } of all) wire.vanish();
    await Promise.all(all.map(({ watch }) => watch.check()));
    for (const { watch, opens } of all) {
      expect(watch.goneMs).toBeGreaterThan(0);
      expect(opens).not.toHaveBeenCalled();
    }
    skipTime(31_000);
    await Promise.all(
      all.map(async ({ watch, client, opens }) => {
        await watch.check();
        expect(watch.goneMs).toBeGreaterThan(30_000);
        await eventually(async () => {
          await watch.check();
          expect(watch.goneMs).toBe(0);
        });
        expect(opens).toHaveBeenCalledTimes(1);
        await client.ping();
      }),
    );
  });
});
