import type { RedisClient } from './redis-client.js';

/** What a Redis says of itself, as far as it lets itself be asked: managed ones hide CONFIG. */
export interface RedisFacts {
  readonly version: string;
  readonly evictionPolicy: string | undefined;
  readonly appendOnly: boolean | undefined;
}

export interface PolicyFinding {
  /** Refuse: tasks would be lost in normal operation. Warn: they can be lost when something breaks. */
  readonly severity: 'refuse' | 'warn';
  readonly text: string;
}

/** Streams with explicit ids and everything that BullMQ 6 needs. */
const OLDEST = [6, 2] as const;

/** Asks a Redis for what matters to tasks that must not be lost. */
export async function readRedisFacts(redis: RedisClient): Promise<RedisFacts> {
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
  };
}

/** What is wrong with such a Redis, and how to mend it; nothing when it is fit. */
export function judgeRedis({ version, evictionPolicy, appendOnly }: RedisFacts): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = [];
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
