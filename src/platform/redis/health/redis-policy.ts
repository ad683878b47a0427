import { Redis } from 'ioredis';
import type { RedisClient } from '../connection/redis-client.js';
import { nameOf, primariesOf } from '../connection/redis-nodes.js';
import { type Flavour, flavourName, flavourOf, fieldOf } from './flavour.js';

/** The readable facts of a Redis; managed ones hide CONFIG, and a user may have no right to INFO. */
export interface RedisFacts {
  /** The node of a Cluster; absent for a single server. */
  readonly node?: string;
  readonly flavour: Flavour;
  /** The version of Redis whose commands it has; undefined if unreadable. */
  readonly version: string | undefined;
  readonly evictionPolicy: string | undefined;
  readonly appendOnly: boolean | undefined;
  /** A Cluster node addressed as a single server: it refuses most keys. */
  readonly isStrayNode: boolean;
}

export interface PolicyFinding {
  /** Refuse: tasks would be lost in normal operation. Warn: they can be lost in a failure. Note: a limit of the product. */
  readonly severity: 'refuse' | 'warn' | 'note';
  readonly text: string;
  readonly fix?: string;
  /** Its word in `redis.accept`, if an operator may accept what is refused. */
  readonly code?: string;
}

/** Streams with explicit ids and everything that BullMQ 6 needs. */
const OLDEST = [6, 2] as const;

/** Reads from each primary the facts that decide whether tasks can be lost. */
export async function readRedisFacts(redis: RedisClient): Promise<readonly RedisFacts[]> {
  const isCluster = !(redis instanceof Redis);
  const primaries = await primariesOf(redis);
  return Promise.all(
    primaries.map(async (primary) => {
      const facts = factsIn(await infoOf(primary), isCluster);
      return isCluster ? { ...facts, node: nameOf(primary) } : facts;
    }),
  );
}

/** The facts in the text of INFO. */
export function factsIn(info: string | undefined, isCluster: boolean): RedisFacts {
  const aof = fieldOf(info, 'aof_enabled');
  return {
    flavour: flavourOf(info),
    version: fieldOf(info, 'redis_version'),
    evictionPolicy: fieldOf(info, 'maxmemory_policy'),
    appendOnly: aof === undefined ? undefined : aof === '1',
    isStrayNode: !isCluster && fieldOf(info, 'redis_mode') === 'cluster',
  };
}

/** Products and versions of the servers, each once. */
export function serversText(facts: readonly RedisFacts[]): string {
  return [...new Set(facts.map(({ flavour }) => flavourName(flavour)))].join(', ');
}

/** The text of INFO; undefined if this user has no right to it, or the server does not have it. */
export async function infoOf(redis: Redis): Promise<string | undefined> {
  try {
    return await redis.info();
  } catch (error) {
    if (error instanceof Error && /^(?:NOPERM|ERR (?:unknown|unsupported))/i.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Findings about this Redis, each with its fix; empty when it is suitable.
 * @param accepted codes of refusals that the operator has accepted (`redis.accept`)
 */
export function judgeRedis(facts: readonly RedisFacts[], accepted: readonly string[] = []): readonly PolicyFinding[] {
  return facts.flatMap((one) => judgeServer(one).map((finding) => withNode(acceptable(finding, accepted), one.node)));
}

/** A refusal that an operator may accept is a warning when that has been done, and else names how. */
export function acceptable(finding: PolicyFinding, accepted: readonly string[]): PolicyFinding {
  const { severity, text, fix, code } = finding;
  if (severity !== 'refuse' || code === undefined) return finding;
  if (accepted.includes(code)) return { ...finding, severity: 'warn', text: `${text}; accepted by redis.accept` };
  return { ...finding, fix: `${fix === undefined ? '' : `${fix}, or `}accept it with redis.accept ${code}` };
}

/** A finding with its fix, in one line. */
export function findingText({ text, fix }: PolicyFinding): string {
  return fix === undefined ? text : `${text} (${fix})`;
}

function withNode(finding: PolicyFinding, node: string | undefined): PolicyFinding {
  return node === undefined ? finding : { ...finding, text: `node ${node}: ${finding.text}` };
}

function judgeServer({ flavour, version, isStrayNode, ...facts }: RedisFacts): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = [];
  if (isStrayNode) {
    const fix = 'write redis-cluster:// in place of redis://';
    findings.push({ severity: 'refuse', text: 'this is one node of a Redis Cluster', fix });
  }
  if (version !== undefined && isOlder(version)) {
    const oldest = OLDEST.join('.');
    findings.push({ severity: 'refuse', text: `Redis ${version} is too old: ${oldest} or newer is needed` });
  }
  if (flavour.refusal !== undefined) {
    const { text, fix } = flavour.refusal;
    findings.push({ severity: 'refuse', code: flavour.id, text, fix });
  }
  findings.push(...evictionFindings(facts.evictionPolicy, flavour), ...durabilityFindings(facts.appendOnly, flavour));
  return [...findings, ...flavour.limits.map((text): PolicyFinding => ({ severity: 'note', text }))];
}

/** An unreadable policy counts as a wrong one: the default of most managed servers evicts. */
function evictionFindings(policy: string | undefined, { neverEvicts, id }: Flavour): readonly PolicyFinding[] {
  if (policy === 'noeviction' || (policy === undefined && neverEvicts)) return [];
  if (policy === undefined) {
    const fix = id === 'unknown' ? 'give this user +info' : 'set it to noeviction at its provider';
    const text = 'maxmemory-policy cannot be read: Redis may drop tasks when memory is short';
    return [{ severity: 'refuse', code: 'policy', text, fix }];
  }
  const text = `maxmemory-policy is ${policy}: Redis would drop tasks when memory is short`;
  return [{ severity: 'refuse', text, fix: 'set it to noeviction' }];
}

function durabilityFindings(appendOnly: boolean | undefined, { durability }: Flavour): readonly PolicyFinding[] {
  if (durability !== undefined) return durability === 'own' ? [] : [{ severity: 'warn', ...durability }];
  if (appendOnly !== false) return [];
  return [{ severity: 'warn', text: 'appendonly is off: tasks are lost when Redis restarts', fix: 'set it to yes' }];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
