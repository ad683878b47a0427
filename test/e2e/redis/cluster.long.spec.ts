import { describe, expect, it } from '@jest/globals';
import { ALL_SHARDS, TaskKeys } from '../../../src/tasks/task.keys.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { NodeShares } from '../../kit/redis/topology/node-shares.js';
import { RedisCluster } from '../../kit/redis/topology/redis-cluster.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp } from '../../kit/app/running-app.js';
import { factsOn } from '../../kit/redis/topology/topology-facts.js';

/** Tasks of one kind of load. */
const TASKS = 600;
/** Each is a tenant of its own: what is counted for all receivers of one tenant is in one slot. */
const CALLERS = Array.from({ length: 16 }, (_unused, at) => `tenant${String(at)}`);
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:push.write';
const API_KEYS = CALLERS.map((tenant) => apiKeyEntry(`${tenant}.secret`, { tenant, scopes: SCOPES }));
const KEY_PREFIX = 'shares';
/** How far the share of a node may be from an equal one. */
const TOLERANCE = 0.25;

describe('on a Redis Cluster', () => {
  factsOn(() => RedisCluster.start(), shareOfEachNode);
});

function shareOfEachNode(cluster: () => RedisCluster): void {
  it('gives each node its share of commands within 25 %, under sends, streams, runs of other processes and webhooks (D15)', async () => {
    const receiver = await new Receiver().listen();
    const { url } = receiver;
    const nodes = new NodeShares(
      cluster().primaries,
      ALL_SHARDS.map((shard) => new TaskKeys(KEY_PREFIX).due(shard)),
    );
    const services = await Promise.all(['api', 'worker', 'dispatcher', 'all'].map((role) => start(role)));
    const [apart = '', , , whole = ''] = services.map((service) => service.url);
    try {
      const hooked = { configuration: { taskPushNotificationConfig: { url } } };
      const shares = {
        sends: await nodes.during(() => load(whole, send)),
        streams: await nodes.during(() => load(whole, drained)),
        runs: await nodes.during(() => load(apart, send)),
        webhooks: await nodes.during(async () => {
          await load(apart, (client, message) => client.task('SendMessage', { ...message, ...hooked }));
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
        ...{ ROLE, REDIS_URL: cluster().url, KEY_PREFIX, WORKER_CONCURRENCY: '8' },
        API_KEYS: API_KEYS.join('\n'),
        EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
        SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      });
    }

    function allTold(): void {
      expect(receiver.states.filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(TASKS);
    }
  }, 120_000);
}

type Calling = (client: RpcClient, message: object) => Promise<unknown>;

/** Calls from all callers at once. */
async function load(url: string, call: Calling): Promise<void> {
  let left = TASKS;
  const calls = async (caller: string): Promise<void> => {
    const client = new RpcClient(url, { 'x-api-key': `${caller}.secret` });
    while (left-- > 0) await call(client, aMessage('Hello', { skillId: 'echo' }));
  };
  await Promise.all(CALLERS.map(calls));
}

function send(client: RpcClient, message: object): Promise<unknown> {
  return client.task('SendMessage', message);
}

async function drained(client: RpcClient, message: object): Promise<void> {
  for await (const _event of client.stream('SendStreamingMessage', message));
}
