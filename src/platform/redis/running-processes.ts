import type { RedisClient } from './redis-client.js';
import { RedisScript } from './redis-script.js';
import { presenceKey } from './service.keys.js';

/** A process of the service, as it announces itself. */
export interface RunningProcess {
  readonly id: string;
  readonly role: string;
  readonly version: string;
}

const PROCESSES = new RedisScript(new URL('lua/running_processes.lua', import.meta.url));

/** Says for the next `holdMs` that a process is there; 0 says that it leaves. */
export async function announceProcess(
  redis: RedisClient,
  keyPrefix: string,
  process: RunningProcess,
  holdMs: number,
): Promise<void> {
  await PROCESSES.run(redis, [presenceKey(keyPrefix)], [JSON.stringify(process), holdMs]);
}

/** The processes that are there, in no order. */
export async function runningProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly RunningProcess[]> {
  const members = (await PROCESSES.run(redis, [presenceKey(keyPrefix)], ['', 0])) as readonly string[];
  return members.map((member) => JSON.parse(member) as RunningProcess);
}
