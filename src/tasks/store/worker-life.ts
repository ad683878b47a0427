import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { serversOf } from '../../platform/redis/connection/redis-nodes.js';
import type { TaskKeys } from '../task.keys.js';

/**
 * Whether the process of a worker's channel lives: its subscription ends with its connection, however it dies. A
 * process that gave its runs up counts as dead.
 */
export async function livesWorker(redis: RedisClient, keys: TaskKeys, channel: string): Promise<boolean> {
  const asked = (await serversOf(redis)).map((server) => server.pubsub('NUMSUB', channel));
  const replies = await Promise.allSettled(asked);
  // A node of a Cluster that does not answer serves no subscription either, and must not delay the recovery of a run.
  if (replies.every(({ status }) => status === 'rejected')) await Promise.all(asked);
  const isSubscribed = replies.some((reply) => reply.status === 'fulfilled' && Number(reply.value[1]) > 0);
  return isSubscribed && (await redis.exists(keys.gaveUp(channel))) === 0;
}
