import type { RedisClient } from './redis-client.js';
import { REDIS_SCRIPTS } from './redis.scripts.js';
import { presenceKey } from './service.keys.js';

/** A process of the service, as it announces itself. */
export interface RunningProcess {
  readonly id: string;
  readonly role: string;
  readonly version: string;
}

/** Says for the next `holdMs` that a process is there; 0 says that it leaves. */
export async function announceProcess(
  redis: RedisClient,
  keyPrefix: string,
  process: RunningProcess,
  holdMs: number,
): Promise<void> {
  const args = { process: JSON.stringify(process), holdMs };
  await REDIS_SCRIPTS.runningProcesses.run(redis, { presence: presenceKey(keyPrefix) }, args);
}

/** The processes that are there, in no order. */
export async function runningProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly RunningProcess[]> {
  const keys = { presence: presenceKey(keyPrefix) };
  const members = (await REDIS_SCRIPTS.runningProcesses.run(redis, keys, {
    process: '',
    holdMs: 0,
  })) as readonly string[];
  return members.map((member) => JSON.parse(member) as RunningProcess);
}
