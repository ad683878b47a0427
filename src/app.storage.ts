import type { Environment } from './config/environment.js';
import type { ReplicaOptions } from './redis/replicas.js';

/** How many copies of a write callers wait for. */
export function replicaSettings({ REDIS_WAIT_REPLICAS, REDIS_WAIT_MS }: Environment): ReplicaOptions {
  return { replicas: REDIS_WAIT_REPLICAS, waitMs: REDIS_WAIT_MS };
}
