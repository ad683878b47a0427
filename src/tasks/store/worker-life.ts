import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { serversOf } from '../../platform/redis/connection/redis-nodes.js';
import { ALL_RUNS } from '../commit/run-holds.js';
import type { TaskKeys } from '../task.keys.js';

/**
 * Whether the process of a run lives: the subscription to its channel ends with its connection, however it dies. A
 * process that gave the run up counts as dead.
 */
export async function livesWorker(
  redis: RedisClient,
  keys: TaskKeys,
  { channel, taskId }: { readonly channel: string; readonly taskId: string },
): Promise<boolean> {
  const asked = (await serversOf(redis)).map((server) => server.pubsub('NUMSUB', channel));
  const replies = await Promise.allSettled(asked);
  // A node of a Cluster that does not answer serves no subscription either, and must not delay the recovery of a run.
  if (replies.every(({ status }) => status === 'rejected')) await Promise.all(asked);
  const isSubscribed = replies.some((reply) => reply.status === 'fulfilled' && Number(reply.value[1]) > 0);
  if (!isSubscribed) return false;
  const gaveUp = await redis.get(keys.gaveUp(channel));
  return gaveUp !== ALL_RUNS && gaveUp !== taskId;
}
