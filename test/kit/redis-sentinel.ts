import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { eventually } from './eventually.js';
import { RedisServer } from './redis-server.js';
import type { RedisTopology } from './redis-topology.js';

const GROUP = 'main';
const SENTINELS = 3;
const PATIENCE = { timeoutMs: 30_000 };

/** A primary, its replica and three Sentinels that watch them, on loopback, for one test. */
export class RedisSentinel implements RedisTopology {
  readonly keyPrefix = `test-${randomUUID()}`;

  private constructor(
    private readonly primary: RedisServer,
    private readonly others: readonly RedisServer[],
    private readonly sentinels: readonly RedisServer[],
  ) {}

  static async start(): Promise<RedisSentinel> {
    const primary = await RedisServer.start({ config: { 'repl-diskless-sync-delay': '0' } });
    const config = { replicaof: `127.0.0.1 ${primary.port}`, 'repl-diskless-sync-delay': '0' };
    const replica = await RedisServer.start({ config });
    const sentinels = await Promise.all(
      Array.from({ length: SENTINELS }, async () =>
        RedisServer.start({ sentinel: true, port: await freeLoopbackPort(), config: watching(primary) }),
      ),
    );
    const group = new RedisSentinel(primary, [replica], sentinels);
    await Promise.all(sentinels.map((sentinel) => eventually(() => knowsAll(sentinel), PATIENCE)));
    return group;
  }

  get url(): string {
    return `redis-sentinel://${this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${GROUP}`;
  }

  /** From now on the replica gets no write: the next failover loses all that follows. */
  async fallBehind(): Promise<void> {
    const client = new Redis(this.primary.port, '127.0.0.1');
    await client.acl('SETUSER', 'default', '-psync', '-sync');
    await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
    client.disconnect();
  }

  async lose(): Promise<void> {
    await this.primary.kill();
  }

  async restore(): Promise<void> {
    await this.primary.launch();
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary, ...this.others, ...this.sentinels].map((server) => server.stop()));
  }
}

function watching({ port }: RedisServer): Readonly<Record<string, string>> {
  return {
    'sentinel monitor': `${GROUP} 127.0.0.1 ${port} 2`,
    'sentinel down-after-milliseconds': `${GROUP} 1500`,
    'sentinel failover-timeout': `${GROUP} 5000`,
  };
}

/** Only Sentinels that know each other and the replica can vote for a failover. */
async function knowsAll({ port }: RedisServer): Promise<void> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    const text = String(await client.call('INFO', 'sentinel'));
    const [, slaves, sentinels] = /status=ok,address=\S+,slaves=(\d+),sentinels=(\d+)/.exec(text) ?? [];
    if (slaves !== '1' || sentinels !== String(SENTINELS)) throw new Error(`not all are known: ${text}`);
  } finally {
    client.disconnect();
  }
}
