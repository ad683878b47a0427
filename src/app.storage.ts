import type { Environment } from './config/environment.js';
import type { ReplicaOptions } from './redis/replicas.js';
import type { TaskOptions } from './task/task.options.js';

/** How many copies of a write callers wait for. */
export function replicaSettings({ REDIS_WAIT_REPLICAS, REDIS_WAIT_MS }: Environment): ReplicaOptions {
  return { replicas: REDIS_WAIT_REPLICAS, waitMs: REDIS_WAIT_MS };
}

/** How long what is stored is kept. */
export function retentionSettings(environment: Environment): Partial<TaskOptions> {
  return {
    terminalTtlMs: environment.KEEP_FINISHED_SECONDS * 1000,
    interruptedTtlMs: environment.KEEP_UNANSWERED_SECONDS * 1000,
    stuckTtlMs: environment.KEEP_UNSTARTED_SECONDS * 1000,
    sentTtlMs: environment.KEEP_MESSAGE_IDS_SECONDS * 1000,
  };
}
