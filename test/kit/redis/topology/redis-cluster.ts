import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { freeLoopbackPort } from '../../../../src/platform/redis/embedded/free-port.js';
import { queuePrefix } from '../../../../src/platform/queue/wake-up-queue.js';
import { eventually } from '../../run/eventually.js';
import { RedisServer } from '../redis-server.js';
import type { RedisTopology } from './redis-topology.js';

const PRIMARIES = 3;
const SLOTS = 16_384;
/** Nodes speak to each other on a port this much higher. */
const BUS = 10_000;
const PATIENCE = { timeoutMs: 120_000 };

/** A Redis Cluster of one test: three primaries on loopback, each with a replica. */
export class RedisCluster implements RedisTopology {
  private constructor(
    private readonly servers: readonly RedisServer[],
    readonly keyPrefix: string,
  ) {}

  static async start(): Promise<RedisCluster> {
    const config = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '1500', 'repl-diskless-sync-delay': '0' };
    const ports: number[] = [];
    while (ports.length < 2 * PRIMARIES) ports.push(await portWithBus(ports));
    const servers = await Promise.all(ports.map((port) => RedisServer.start({ port, config })));
    const nodes = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
    try {
      await join(nodes);
      return new RedisCluster(servers, await prefixOnFirst(nodes));
    } finally {
      for (const node of nodes) node.disconnect();
    }
  }

  get url(): string {
    return `redis-cluster://${this.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** The addresses of the nodes that divide the slots, at the start. */
  get primaries(): readonly string[] {
    return this.servers.slice(0, PRIMARIES).map(({ url }) => url);
  }

  async lose(): Promise<void> {
    await this.servers[0]?.kill();
  }

  /** The first primary takes connections and answers nothing. */
  hang(): void {
    this.servers[0]?.signal('SIGSTOP');
  }

  /** A replica takes connections and answers nothing. */
  hangReplica(): void {
    this.servers.at(-1)?.signal('SIGSTOP');
  }

  /** A key in a slot of the first primary. */
  get keyOnFirst(): string {
    return `${queuePrefix(this.keyPrefix)}:key`;
  }

  /** Resolves once the replica of the first primary serves its slots. */
  async whenTakenOver(): Promise<void> {
    const [first, second] = this.servers;
    const node = new Redis(second?.port ?? 0, '127.0.0.1');
    try {
      await eventually(async () => {
        const [, , [, port] = []] = (await node.cluster('SLOTS')).find(([from]) => from === 0) ?? [];
        if (port === first?.port) throw new Error('the replica has not taken over');
        await servesAll(node);
      }, PATIENCE);
    } finally {
      node.disconnect();
    }
  }

  async restore(): Promise<void> {
    await this.servers[0]?.launch();
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

async function join(nodes: readonly Redis[]): Promise<void> {
  const [first, ...others] = nodes;
  if (first === undefined) return;
  await Promise.all(nodes.map((node, at) => node.cluster('SET-CONFIG-EPOCH', at + 1)));
  await Promise.all(nodes.slice(0, PRIMARIES).map((node, at) => node.cluster('ADDSLOTS', ...slotsOf(at))));
  for (const { options } of others) await first.cluster('MEET', '127.0.0.1', options.port ?? 0);
  await Promise.all(nodes.map((node) => eventually(() => knowsAll(node), PATIENCE)));
  await Promise.all(nodes.slice(PRIMARIES).map((node, at) => follow(node, nodes[at] ?? first)));
  await Promise.all(nodes.map((node) => eventually(() => isWhole(node), PATIENCE)));
}

async function follow(replica: Redis, primary: Redis): Promise<void> {
  const id = await primary.cluster('MYID');
  await eventually(() => replica.cluster('REPLICATE', id), PATIENCE);
  await eventually(() => hears(replica), PATIENCE);
}

function slotsOf(primary: number): readonly number[] {
  const from = Math.floor((primary * SLOTS) / PRIMARIES);
  const to = Math.floor(((primary + 1) * SLOTS) / PRIMARIES);
  return Array.from({ length: to - from }, (_unused, at) => from + at);
}

async function knowsAll(node: Redis): Promise<void> {
  const known = /cluster_known_nodes:(\d+)/.exec(await node.cluster('INFO'))?.[1];
  if (known !== String(2 * PRIMARIES)) throw new Error(`${String(known)} nodes are known`);
}

async function hears(replica: Redis): Promise<void> {
  if (!(await replica.info('replication')).includes('master_link_status:up')) throw new Error('not in step yet');
}

async function isWhole(node: Redis): Promise<void> {
  const slots = await node.cluster('SLOTS');
  const replicated = slots.every((range) => range.length > 3);
  if (!replicated) throw new Error('a primary has no replica yet');
  await servesAll(node);
}

async function servesAll(node: Redis): Promise<void> {
  if (!(await node.cluster('INFO')).includes('cluster_state:ok')) throw new Error('the cluster is not whole yet');
}

/** A prefix whose queue is in a slot of the first primary. */
async function prefixOnFirst(nodes: readonly Redis[]): Promise<string> {
  for (;;) {
    const prefix = `test-${randomUUID()}`;
    if (slotsOf(0).includes(Number(await nodes[0]?.cluster('KEYSLOT', queuePrefix(prefix))))) return prefix;
  }
}

async function portWithBus(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = await freeLoopbackPort();
    if (port + BUS < 65_536 && !taken.includes(port) && (await isFree(port + BUS))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
