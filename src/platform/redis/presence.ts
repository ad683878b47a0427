import type { RedisClient } from './redis-client.js';
import { RedisScript } from './redis-script.js';
import { presenceKey } from './service.keys.js';

/** A process of the service, as it presents itself. */
export interface PresentProcess {
  readonly id: string;
  readonly role: string;
  readonly version: string;
}

const PRESENT = new RedisScript(new URL('lua/present.lua', import.meta.url));

/** Says for the next `holdMs` that a process is there; 0 says that it leaves. */
export async function present(
  redis: RedisClient,
  keyPrefix: string,
  process: PresentProcess,
  holdMs: number,
): Promise<void> {
  await PRESENT.run(redis, [presenceKey(keyPrefix)], [JSON.stringify(process), holdMs]);
}

/** The processes that are there, in no order. */
export async function presentProcesses(redis: RedisClient, keyPrefix: string): Promise<readonly PresentProcess[]> {
  const members = (await PRESENT.run(redis, [presenceKey(keyPrefix)], ['', 0])) as readonly string[];
  return members.map((member) => JSON.parse(member) as PresentProcess);
}
