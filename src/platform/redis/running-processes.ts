import { hostname } from 'node:os';
import type { RedisClient } from './connection/redis-client.js';
import { REDIS_SCRIPTS } from './redis.scripts.js';
import { presenceKey } from './service.keys.js';

/** A process of the service, as it announces itself. */
export interface RunningProcess {
  readonly id: string;
  readonly role: string;
  readonly version: string;
  /** Absent of processes of an older version. In Kubernetes the host is the pod. */
  readonly host?: string;
  readonly pid?: number;
  /** When it began, ISO 8601. */
  readonly since?: string;
}

/** How long the host behind the id of a process is known after its end: tasks are kept for as long by default. */
const KNOWN_MS = 7 * 24 * 3_600_000;
const MAX_KNOWN = 256;

/** This process, by its host. */
export function thisProcess(known: Pick<RunningProcess, 'id' | 'role' | 'version'>): RunningProcess {
  const since = new Date(Date.now() - Math.round(process.uptime() * 1000)).toISOString();
  return { ...known, host: hostname(), pid: process.pid, since };
}

/** Says for the next `holdMs` that a process is there; 0 says that it leaves. */
export async function announceProcess(
  redis: RedisClient,
  keyPrefix: string,
  process: RunningProcess,
  holdMs: number,
): Promise<void> {
  const args = { process: JSON.stringify(process), holdMs, knownMs: KNOWN_MS, maxKnown: MAX_KNOWN, which: '' };
  await REDIS_SCRIPTS.runningProcesses.run(redis, { presence: presenceKey(keyPrefix) }, args);
}

/** The processes that are there, in no order. */
export function runningProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly RunningProcess[]> {
  return listed(redis, keyPrefix, '');
}

/** The same, with the latest that have ended, for a week. */
export function knownProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly RunningProcess[]> {
  return listed(redis, keyPrefix, 'known');
}

async function listed(redis: RedisClient, keyPrefix: string, which: string): Promise<readonly RunningProcess[]> {
  const args = { process: '', holdMs: 0, knownMs: 0, maxKnown: 0, which };
  const keys = { presence: presenceKey(keyPrefix) };
  const members = (await REDIS_SCRIPTS.runningProcesses.run(redis, keys, args)) as readonly string[];
  return members.map((member) => JSON.parse(member) as RunningProcess);
}
