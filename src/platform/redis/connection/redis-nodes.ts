import { Redis } from 'ioredis';
import type { RedisClient, RedisServer } from './redis-client.js';

/** The servers that accept writes: the single one, or the primaries of a Cluster. */
export async function primariesOf(redis: RedisClient): Promise<readonly RedisServer[]> {
  if (redis instanceof Redis) return [redis];
  // ioredis knows the nodes only after a first command has succeeded.
  await redis.ping();
  return redis.nodes('master');
}

/** All servers that take subscriptions, replicas included. */
export async function serversOf(redis: RedisClient): Promise<readonly RedisServer[]> {
  if (redis instanceof Redis) return [redis];
  await redis.ping();
  return redis.nodes('all');
}

/** The `host:port` of a server. */
export function nameOf({ options: { host = '', port = 0 } }: RedisServer): string {
  return `${host}:${String(port)}`;
}

/** Resolves when every primary answers. Rejects when one does not, or when a Cluster has slots without a primary. */
export async function pingAll(redis: RedisClient): Promise<void> {
  const primaries = await primariesOf(redis);
  await Promise.all(primaries.map((primary) => primary.ping()));
  if (redis instanceof Redis) return;
  const state = await redis.cluster('INFO');
  if (!state.includes('cluster_state:ok')) throw new Error('CLUSTERDOWN slots are not served');
}

/** The reason of a connection error: that of its last node, since a Cluster only reports that all nodes failed. */
export function complaintOf(error: Error): string {
  const { lastNodeError } = error as { lastNodeError?: unknown };
  return lastNodeError instanceof Error ? lastNodeError.message : error.message;
}
