import type { RedisClient } from './redis-client.js';

/**
 * The connection that answers callers: commands and scripts; fails fast while Redis is away. Type and injection token.
 */
export const CommandRedis = Symbol('CommandRedis');
export type CommandRedis = RedisClient;

/** The connection on which runs write: waits for Redis to come back, since a run must not lose an event. */
export const RunRedis = Symbol('RunRedis');
export type RunRedis = RedisClient;

/** The one connection of this process that listens to channels. */
export const SubscriberRedis = Symbol('SubscriberRedis');
export type SubscriberRedis = RedisClient;
