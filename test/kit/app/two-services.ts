import type { AppOverrides } from '../../../src/main/app.module.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import type { RedisTopology } from '../redis/topology/redis-topology.js';
import { RpcClient } from '../callers/rpc-client.js';
import { runApp, type RunningApp } from './running-app.js';

/** How long servers and services may take to start, and to stop. */
export const TOPOLOGY_START_MS = 90_000;

interface TwoServicesOptions extends AppOverrides {
  readonly receiver?: Receiver;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Two services over one arrangement of Redis servers, a caller of each, and a receiver for their webhooks. */
export class TwoServices<R extends RedisTopology> {
  readonly one: RpcClient;
  readonly other: RpcClient;

  private constructor(
    readonly redis: R,
    readonly receiver: Receiver,
    readonly apps: readonly [RunningApp, RunningApp],
  ) {
    this.one = new RpcClient(apps[0].url);
    this.other = new RpcClient(apps[1].url);
  }

  static async start<R extends RedisTopology>(
    start: () => Promise<R>,
    { receiver = new Receiver(), variables, ...overrides }: TwoServicesOptions = {},
  ): Promise<TwoServices<R>> {
    const [redis] = await Promise.all([start(), receiver.listen()]);
    const given = {
      ...{ REDIS_URL: redis.url, KEY_PREFIX: redis.keyPrefix, EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http` },
      ...variables,
    };
    const apps = await Promise.all([runApp(given, overrides), runApp(given, overrides)]);
    return new TwoServices(redis, receiver, apps);
  }

  async close(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.close()));
    await Promise.all([this.redis.stop(), this.receiver.close()]);
  }
}
