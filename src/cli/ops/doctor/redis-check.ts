import { withoutCredentials } from '../../../platform/config/checks/redis-address.js';
import { askOnce } from '../../../platform/redis/connection/ask-once.js';
import type { RedisClient, RedisServer } from '../../../platform/redis/connection/redis-client.js';
import { nameOf, pingAll, primariesOf } from '../../../platform/redis/connection/redis-nodes.js';
import { probeRedis } from '../../../platform/redis/health/probes.js';
import {
  acceptable,
  infoOf,
  judgeRedis,
  type PolicyFinding,
  readRedisFacts,
  serversText,
} from '../../../platform/redis/health/redis-policy.js';
import { type Finding, fine } from '../../../main/finding.js';
import { rightsFindings } from './redis-rights.js';

/** Tolerated clock skew: leases use Redis's clock, so it matters only for tokens and webhook signatures. */
const SKEW_WARN_MS = 2_000;
const SKEW_FAIL_MS = 30_000;
const FULL = 0.75;

interface RedisCheck {
  readonly keyPrefix: string;
  /** Codes of refusals that the operator has accepted. */
  readonly accept?: readonly string[];
  readonly clock?: (() => number) | undefined;
}

/**
 * Names the product and its limits; checks that it is reachable and persistent, has free memory and the right time, grants
 * this user its commands, and does what the service needs of it.
 */
export async function checkRedis(url: string, options: RedisCheck): Promise<readonly Finding[]> {
  const { keyPrefix, accept = [], clock = Date.now } = options;
  try {
    const findings = await askOnce(url, (client) => examine(client, { accept, clock }));
    const rights = await askOnce(url, (client) => rightsFindings(client, keyPrefix));
    // Each probe would repeat a right that is missing.
    const probes = rights.length > 0 ? [] : await probeRedis(url, keyPrefix);
    return [...findings, ...rights, ...probes.map((finding) => findingOf(acceptable(finding, accept)))];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `Redis at ${withoutCredentials(url)} cannot be used: ${reason}`;
    return [{ check: 'redis', severity: 'fail', text, fix: fixFor(reason, url) }];
  }
}

async function examine(
  client: RedisClient,
  { accept, clock }: Required<Pick<RedisCheck, 'accept'>> & { readonly clock: () => number },
): Promise<readonly Finding[]> {
  const began = performance.now();
  await pingAll(client);
  const ms = performance.now() - began;
  const facts = await readRedisFacts(client);
  const what = facts[0]?.node === undefined ? '' : `A Cluster of ${String(facts.length)} primaries, `;
  const reached = fine('redis', `${what}${serversText(facts)} answers in ${ms.toFixed(1)} ms`);
  const rest = await Promise.all((await primariesOf(client)).map((primary) => nodeFindings(primary, client, clock)));
  return [reached, ...judgeRedis(facts, accept).map(findingOf), ...rest.flat()];
}

/** A limit of the product is shown like what is fine: there is nothing to do. */
function findingOf({ severity, text, fix = 'Use a newer Redis or Valkey' }: PolicyFinding): Finding {
  if (severity === 'note') return fine('redis', text);
  const level = severity === 'refuse' ? 'fail' : 'warn';
  return { check: 'redis', severity: level, text, fix: fix.charAt(0).toUpperCase() + fix.slice(1) };
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
  const info = await infoOf(client);
  if (info === undefined) return [];
  const findings = roomFindings(numberIn(info, 'used_memory'), numberIn(info, 'maxmemory'));
  if (!/^role:slave/m.test(info)) return findings;
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
