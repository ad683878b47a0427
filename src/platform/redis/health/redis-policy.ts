import { Redis } from 'ioredis';
import type { RedisClient } from '../connection/redis-client.js';
import { nameOf, primariesOf } from '../connection/redis-nodes.js';

/** The readable facts of a Redis; managed ones hide CONFIG. */
export interface RedisFacts {
  /** The node of a Cluster; absent for a single server. */
  readonly node?: string;
  readonly version: string;
  readonly evictionPolicy: string | undefined;
  readonly appendOnly: boolean | undefined;
  /** A Cluster node addressed as a single server: it refuses most keys. */
  readonly isStrayNode: boolean;
}

export interface PolicyFinding {
  /** Refuse: tasks would be lost in normal operation. Warn: they can be lost in a failure. */
  readonly severity: 'refuse' | 'warn';
  readonly text: string;
}

/** Streams with explicit ids and everything that BullMQ 6 needs. */
const OLDEST = [6, 2] as const;

/** Reads from each primary the facts that decide whether tasks can be lost. */
export async function readRedisFacts(redis: RedisClient): Promise<readonly RedisFacts[]> {
  const isCluster = !(redis instanceof Redis);
  const primaries = await primariesOf(redis);
  return Promise.all(
    primaries.map(async (primary) => {
      const facts = await factsOf(primary, isCluster);
      return isCluster ? { ...facts, node: nameOf(primary) } : facts;
    }),
  );
}

async function factsOf(redis: Redis, isCluster: boolean): Promise<RedisFacts> {
  const [server, memory, persistence] = [
    await redis.info('server'),
    await redis.info('memory'),
    await redis.info('persistence'),
  ];
  const aof = field(persistence, 'aof_enabled');
  return {
    version: field(server, 'redis_version') ?? 'unknown',
    evictionPolicy: field(memory, 'maxmemory_policy'),
    appendOnly: aof === undefined ? undefined : aof === '1',
    isStrayNode: !isCluster && field(server, 'redis_mode') === 'cluster',
  };
}

/** Findings about this Redis, each with its fix; empty when it is suitable. */
export function judgeRedis(facts: readonly RedisFacts[]): readonly PolicyFinding[] {
  return facts.flatMap((one) =>
    judgeServer(one).map(({ severity, text }) => ({
      severity,
      text: one.node === undefined ? text : `node ${one.node}: ${text}`,
    })),
  );
}

function judgeServer({ version, evictionPolicy, appendOnly, isStrayNode }: RedisFacts): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = [];
  if (isStrayNode) {
    const text = 'this is one node of a Redis Cluster (write redis-cluster:// in place of redis://)';
    findings.push({ severity: 'refuse', text });
  }
  if (isOlder(version)) {
    findings.push({ severity: 'refuse', text: `Redis ${version} is too old: ${OLDEST.join('.')} or newer is needed` });
  }
  if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction') {
    const text = `maxmemory-policy is ${evictionPolicy}: Redis would drop tasks when memory is short (set it to noeviction)`;
    findings.push({ severity: 'refuse', text });
  }
  if (appendOnly === false) {
    findings.push({ severity: 'warn', text: 'appendonly is off: tasks are lost when Redis restarts (set it to yes)' });
  }
  return findings;
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S*)`, 'm').exec(info)?.[1];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
