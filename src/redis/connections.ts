import type { RedisClient } from './redis-client.js';

/** Injection token of the connection for state: commands and scripts. */
export const CommandRedis = Symbol('CommandRedis');
/** Injection token of the one connection of this process that listens to channels. */
export const SubscriberRedis = Symbol('SubscriberRedis');

export type CommandRedis = RedisClient;
export type SubscriberRedis = RedisClient;
