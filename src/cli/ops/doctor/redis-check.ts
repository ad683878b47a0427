import { withoutCredentials } from '../../../platform/config/checks/redis-address.js';
import { askOnce } from '../../../platform/redis/connection/ask-once.js';
import type { RedisClient, RedisServer } from '../../../platform/redis/connection/redis-client.js';
import { nameOf, pingAll, primariesOf } from '../../../platform/redis/connection/redis-nodes.js';
import { judgeRedis, readRedisFacts } from '../../../platform/redis/health/redis-policy.js';
import { type Finding, fine } from '../../../main/finding.js';
import { rightsFindings } from './redis-rights.js';

/** Tolerated clock skew: leases use Redis's clock, so it matters only for tokens and webhook signatures. */
const SKEW_WARN_MS = 2_000;
const SKEW_FAIL_MS = 30_000;
const FULL = 0.75;

/**
 * Checks that Redis is reachable and persistent, has free memory and the right time, and grants this user its commands.
 */
export async function checkRedis(
  url: string,
  { keyPrefix, clock = Date.now }: { readonly keyPrefix: string; readonly clock?: (() => number) | undefined },
): Promise<readonly Finding[]> {
  try {
    const findings = await askOnce(url, (client) => examine(client, clock));
    return [...findings, ...(await askOnce(url, (client) => rightsFindings(client, keyPrefix)))];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `Redis at ${withoutCredentials(url)} cannot be used: ${reason}`;
    return [{ check: 'redis', severity: 'fail', text, fix: fixFor(reason, url) }];
  }
}

async function examine(client: RedisClient, clock: () => number): Promise<readonly Finding[]> {
  const began = performance.now();
  await pingAll(client);
  const ms = performance.now() - began;
  const facts = await readRedisFacts(client);
  const policy = judgeRedis(facts).map(({ severity, text }): Finding => {
    const [what = text, fix = 'Upgrade Redis'] = text.replace(/\)$/, '').split(' (');
    const level = severity === 'refuse' ? 'fail' : 'warn';
    return { check: 'redis', severity: level, text: what, fix: fix.charAt(0).toUpperCase() + fix.slice(1) };
  });
  const versions = [...new Set(facts.map(({ version }) => version))].join(', ');
  const what = facts[0]?.node === undefined ? 'Redis' : `A Cluster of ${String(facts.length)} primaries, Redis`;
  const reached = fine('redis', `${what} ${versions} answers in ${ms.toFixed(1)} ms`);
  const rest = await Promise.all((await primariesOf(client)).map((primary) => nodeFindings(primary, client, clock)));
  return [reached, ...policy, ...rest.flat()];
}

/** Memory and clock of one server; for a Cluster only the faults of each node, by name. */
async function nodeFindings(
  primary: RedisServer,
  client: RedisClient,
  clock: () => number,
): Promise<readonly Finding[]> {
  const [seconds, micros] = await primary.time();
  const skew = Math.abs(clock() - (Number(seconds) * 1000 + Number(micros) / 1000));
  const findings = [...(await memoryFindings(primary)), clockFinding(skew)];
  if (primary === client) return findings;
  return findings
    .filter(({ severity }) => severity !== 'ok')
    .map((finding) => ({ ...finding, text: `node ${nameOf(primary)}: ${finding.text}` }));
}

async function memoryFindings(client: RedisServer): Promise<readonly Finding[]> {
  const [memory, replication] = [await client.info('memory'), await client.info('replication')];
  const findings = roomFindings(numberIn(memory, 'used_memory'), numberIn(memory, 'maxmemory'));
  if (!/^role:slave/m.test(replication)) return findings;
  const text = 'This Redis is a replica: it accepts no writes';
  const fix = 'Use the address of the primary, or redis-sentinel://';
  return [...findings, { check: 'redis', severity: 'fail', text, fix }];
}

function roomFindings(used: number, most: number): readonly Finding[] {
  if (most === 0) {
    const text = 'maxmemory is not set: Redis may use all memory of its machine and be killed';
    return [{ check: 'redis', severity: 'warn', text, fix: 'Set maxmemory below the memory of the machine' }];
  }
  if (used / most <= FULL) return [];
  const text = `Redis uses ${String(Math.round((100 * used) / most))} % of maxmemory; at 100 %, writes are refused`;
  const fix = 'Raise maxmemory, or lower KEEP_FINISHED_SECONDS';
  return [{ check: 'redis', severity: 'warn', text, fix }];
}

function clockFinding(skewMs: number): Finding {
  const text = `The clocks of this machine and of Redis differ by ${(skewMs / 1000).toFixed(1)} s`;
  if (skewMs < SKEW_WARN_MS) return fine('clock', text);
  const severity = skewMs < SKEW_FAIL_MS ? 'warn' : 'fail';
  return {
    check: 'clock',
    severity,
    text,
    fix: 'Synchronize both with NTP: tokens and webhook signatures contain times',
  };
}

function numberIn(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}

function fixFor(reason: string, url: string): string {
  if (reason === 'no answer' && url.startsWith('rediss'))
    return 'Write redis in place of rediss where that port has no TLS; check firewalls and NetworkPolicies';
  if (/NOAUTH|WRONGPASS|NOPERM/.test(reason)) return 'Correct user and password in REDIS_URL';
  if (reason.includes('protected mode')) return 'Set a password there (requirepass) and in REDIS_URL';
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return 'Correct the host in REDIS_URL, or the DNS of this machine';
  return 'Start Redis there, or correct REDIS_URL; check firewalls and NetworkPolicies';
}
