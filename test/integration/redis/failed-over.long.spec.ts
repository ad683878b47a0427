import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { withDeadline } from '../../../src/platform/redis/connection/deadline.js';
import { isClosed } from '../../../src/platform/redis/connection/keep-open.js';
import { connect, type ConnectionUse, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { pingAll } from '../../../src/platform/redis/connection/redis-nodes.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisCluster } from '../../kit/redis/topology/redis-cluster.js';
import { RedisSentinel } from '../../kit/redis/topology/redis-sentinel.js';

const USES: readonly ConnectionUse[] = ['command', 'operator', 'blocking', 'subscriber'];
const PATIENCE = { timeoutMs: 30_000, intervalMs: 200 };
/** A command of a connection that waits for Redis has no limit of its own. */
const ANSWER_MS = 5_000;
const TIMEOUT_MS = 150_000;

let opened: RedisClient[] = [];

afterEach(() => {
  for (const client of opened.splice(0)) if (!isClosed(client)) client.disconnect();
});

/** Three connections of each use, each of which has answered. */
async function openAll(url: string): Promise<readonly RedisClient[]> {
  opened = [...USES, ...USES, ...USES].map((use) => connect(url, use).on('error', () => undefined));
  await Promise.all(opened.map((client) => eventually(() => pingAll(client), PATIENCE)));
  return opened;
}

/** The uses whose connections do not answer within the patience. */
async function deadOf(clients: readonly RedisClient[]): Promise<readonly string[]> {
  const answers = clients.map((client) => eventually(() => withDeadline(pingAll(client), ANSWER_MS), PATIENCE));
  const settled = await Promise.allSettled(answers);
  return settled.flatMap(({ status }, at) => (status === 'fulfilled' ? [] : [USES[at % USES.length] ?? '']));
}

describe('connections of each use', () => {
  it(
    'answer again behind a failover while the Sentinel that is asked first hangs (I18, C1)',
    async () => {
      const group = await RedisSentinel.start();
      const printed = jest.spyOn(console, 'error');
      try {
        const clients = await openAll(group.url);
        group.hangFirst();
        await group.failOver();
        expect(await deadOf(clients)).toEqual([]);
        // Those that begin now meet the hanging Sentinel too.
        expect(await deadOf(await openAll(group.url))).toEqual([]);
        for (const client of clients) client.disconnect();
        expect(printed).not.toHaveBeenCalled();
      } finally {
        printed.mockRestore();
        await group.stop();
      }
    },
    TIMEOUT_MS,
  );

  it.each(['is killed', 'hangs'] as const)(
    'answer again for all slots once a primary of a Cluster %s and its replica takes over (I18, C1)',
    async (end) => {
      const cluster = await RedisCluster.start();
      try {
        const clients = await openAll(cluster.url);
        if (end === 'hangs') cluster.hang();
        else await cluster.lose();
        await cluster.whenTakenOver();
        expect(await deadOf(clients)).toEqual([]);
        for (const [at, client] of clients.entries()) expect(await client.set(cluster.keyOnFirst, at)).toBe('OK');
      } finally {
        await cluster.stop();
      }
    },
    TIMEOUT_MS,
  );
});
