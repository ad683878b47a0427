import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { freeLoopbackPort } from '../../../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../run/eventually.js';
import { RedisServer } from '../redis-server.js';
import type { RedisTopology } from './redis-topology.js';
import { SlowWire } from './slow-wire.js';

const GROUP = 'main';
const SENTINELS = 3;
const PATIENCE = { timeoutMs: 120_000 };

/** A primary, its replica and three Sentinels that watch them, on loopback, for one test. */
export class RedisSentinel implements RedisTopology {
  readonly keyPrefix = `test-${randomUUID()}`;
  private hung = 0;

  private constructor(
    private primary: RedisServer,
    private readonly others: readonly RedisServer[],
    private readonly sentinels: readonly Sentinel[],
  ) {}

  /** @param delayMs of a wire before each Sentinel, in each direction */
  static async start(delayMs = 0): Promise<RedisSentinel> {
    const primary = await RedisServer.start({ config: { 'repl-diskless-sync-delay': '0' } });
    const config = { replicaof: `127.0.0.1 ${primary.port}`, 'repl-diskless-sync-delay': '0' };
    const replica = await RedisServer.start({ config });
    const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(primary, delayMs)));
    const group = new RedisSentinel(primary, [primary, replica], sentinels);
    await group.whenWhole();
    return group;
  }

  private get answering(): readonly Sentinel[] {
    return this.sentinels.slice(this.hung);
  }

  get url(): string {
    return `redis-sentinel://${this.sentinels.map(({ wire }) => `127.0.0.1:${wire.port}`).join(',')}/${GROUP}`;
  }

  /** From now on the replica gets no write: the next failover loses all that follows. */
  async fallBehind(): Promise<void> {
    const client = new Redis(this.primary.port, '127.0.0.1');
    await client.acl('SETUSER', 'default', '-psync', '-sync');
    await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
    client.disconnect();
  }

  /** Has the Sentinel that clients ask first take connections and answer nothing. */
  hangFirst(): void {
    this.sentinels[0]?.server.signal('SIGSTOP');
    this.hung = 1;
  }

  /** Has the Sentinels know each other and the replica, as a next failover needs. */
  async whenWhole(): Promise<void> {
    await Promise.all(this.answering.map(({ server }) => eventually(() => knowsAll(server), PATIENCE)));
  }

  /** Kills the primary, and starts it again once its replica has taken over: it becomes the replica of the other. */
  async failOver(): Promise<void> {
    const [next] = this.others.filter((server) => server !== this.primary);
    const [sentinel] = this.answering;
    if (next === undefined || sentinel === undefined) throw new Error('There is no replica to take over');
    const lost = this.primary;
    await lost.kill();
    await eventually(async () => {
      if ((await primaryPort(sentinel.server)) !== next.port) throw new Error('the replica has not taken over');
    }, PATIENCE);
    this.primary = next;
    await lost.launch();
    await eventually(() => follows(lost, next), PATIENCE);
    await this.whenWhole();
  }

  async lose(): Promise<void> {
    await this.primary.kill();
  }

  async restore(): Promise<void> {
    await this.primary.launch();
  }

  async stop(): Promise<void> {
    for (const { wire } of this.sentinels) wire.close?.();
    await Promise.all([...this.others, ...this.sentinels.map(({ server }) => server)].map((server) => server.stop()));
  }
}

interface Sentinel {
  readonly server: RedisServer;
  /** Where clients and the other Sentinels find it. */
  readonly wire: { readonly port: number; close?(): void };
}

async function startSentinel(primary: RedisServer, delayMs: number): Promise<Sentinel> {
  const port = await freeLoopbackPort();
  const wire = delayMs === 0 ? { port } : await SlowWire.before(port, delayMs);
  const announced = { 'sentinel announce-ip': '127.0.0.1', 'sentinel announce-port': String(wire.port) };
  const server = await RedisServer.start({ sentinel: true, port, config: { ...announced, ...watching(primary) } });
  return { server, wire };
}

async function primaryPort({ port }: RedisServer): Promise<number> {
  return asked(port, async (client) => {
    const [, found] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', GROUP)) as readonly string[];
    return Number(found);
  });
}

/** Whether a server is a replica of another, with all of its data. */
async function follows({ port }: RedisServer, primary: RedisServer): Promise<void> {
  const info = await asked(port, (client) => client.info('replication'));
  if (!info.includes(`master_port:${primary.port}`) || !info.includes('master_link_status:up')) throw new Error(info);
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
  const text = await asked(port, async (client) => String(await client.call('INFO', 'sentinel')));
  const [, slaves, sentinels] = /status=ok,address=\S+,slaves=(\d+),sentinels=(\d+)/.exec(text) ?? [];
  if (slaves !== '1' || sentinels !== String(SENTINELS)) throw new Error(`not all are known: ${text}`);
}

async function asked<T>(port: number, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}
