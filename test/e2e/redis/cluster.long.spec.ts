import { describe, expect, it } from '@jest/globals';
import { Receiver } from '../../integration/push/receiver.js';
import { eventually } from '../../kit/eventually.js';
import { NodeShares } from '../../kit/node-shares.js';
import { RedisCluster } from '../../kit/redis-cluster.js';
import { aMessage, RpcClient } from '../../kit/rpc-client.js';
import { runApp } from '../../kit/running-app.js';
import { factsOn } from '../../kit/topology-facts.js';

/** Tasks of one kind of load: their shards are random, so that fewer would be spread less evenly. */
const TASKS = 600;
const CALLERS = 16;
/** How far the share of a node may be from an equal one. */
const TOLERANCE = 0.25;

describe('on a Redis Cluster', () => {
  factsOn(() => RedisCluster.start(), shareOfEachNode);
});

function shareOfEachNode(cluster: () => RedisCluster): void {
  it('gives each node its share of commands within 25 %, under sends, streams, runs of other processes and webhooks (D15)', async () => {
    const receiver = await new Receiver().listen();
    const { url } = receiver;
    const nodes = new NodeShares(cluster().primaries);
    const services = await Promise.all(['api', 'worker', 'dispatcher', 'all'].map((role) => start(role)));
    const [apart, , , whole] = services.map((service) => new RpcClient(service.url));
    try {
      const hooked = { configuration: { taskPushNotificationConfig: { url } } };
      const shares = {
        sends: await nodes.during(() => load((message) => whole?.task('SendMessage', message))),
        streams: await nodes.during(() => load((message) => whole && drained(whole, message))),
        runs: await nodes.during(() => load((message) => apart?.task('SendMessage', message))),
        webhooks: await nodes.during(async () => {
          await load((message) => apart?.task('SendMessage', { ...message, ...hooked }));
          await eventually(allTold, { timeoutMs: 60_000, intervalMs: 100 });
        }),
      };
      const unfair = Object.entries(shares).filter(([, of]) => of.some((share) => Math.abs(share - 1) > TOLERANCE));
      expect(unfair).toEqual([]);
    } finally {
      nodes.close();
      await Promise.all(services.map((service) => service.close()));
      await receiver.close();
    }

    function start(ROLE: string): ReturnType<typeof runApp> {
      return runApp({
        ...{ ROLE, REDIS_URL: cluster().url, KEY_PREFIX: 'shares', WORKER_CONCURRENCY: '8' },
        EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
        SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      });
    }

    function allTold(): void {
      expect(receiver.states.filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(TASKS);
    }
  }, 120_000);
}

/** Sends tasks from several callers at once. */
async function load(send: (message: object) => Promise<unknown> | undefined): Promise<void> {
  let left = TASKS;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await send(aMessage('Hello', { skillId: 'echo' }));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function drained(client: RpcClient, message: object): Promise<void> {
  for await (const _event of client.stream('SendStreamingMessage', message));
}
