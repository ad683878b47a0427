import { hostname } from 'node:os';
import type { RedisClient } from './connection/redis-client.js';
import { REDIS_SCRIPTS } from './redis.scripts.js';
import { presenceKey } from './service.keys.js';

/** A process of the service, as announced by itself. */
export interface RunningProcess {
  readonly id: string;
  readonly role: string;
  readonly version: string;
  /** Absent for processes of an older version. In Kubernetes the host is the pod. */
  readonly host?: string;
  readonly pid?: number;
  /** Start time, ISO 8601. */
  readonly since?: string;
}

/** How long the host of an ended process is known: the default retention of tasks. */
const KNOWN_MS = 7 * 24 * 3_600_000;
const MAX_KNOWN = 256;

/** This process, by its host. */
export function thisProcess(known: Pick<RunningProcess, 'id' | 'role' | 'version'>): RunningProcess {
  const since = new Date(Date.now() - Math.round(process.uptime() * 1000)).toISOString();
  return { ...known, host: hostname(), pid: process.pid, since };
}

/** Announces a process for the next `holdMs`; 0 announces its end. */
export async function announceProcess(
  redis: RedisClient,
  keyPrefix: string,
  process: RunningProcess,
  holdMs: number,
): Promise<void> {
  const args = { process: JSON.stringify(process), holdMs, knownMs: KNOWN_MS, maxKnown: MAX_KNOWN, which: '' };
  await REDIS_SCRIPTS.runningProcesses.run(redis, { presence: presenceKey(keyPrefix) }, args);
}

/** The running processes, in no order. */
export function runningProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly RunningProcess[]> {
  return listed(redis, keyPrefix, '');
}

/** The same, and those that ended within a week. */
export function knownProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly RunningProcess[]> {
  return listed(redis, keyPrefix, 'known');
}

async function listed(redis: RedisClient, keyPrefix: string, which: string): Promise<readonly RunningProcess[]> {
  const args = { process: '', holdMs: 0, knownMs: 0, maxKnown: 0, which };
  const keys = { presence: presenceKey(keyPrefix) };
  const members = (await REDIS_SCRIPTS.runningProcesses.run(redis, keys, args)) as readonly string[];
  return members.map((member) => JSON.parse(member) as RunningProcess);
}
