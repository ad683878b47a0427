import { afterAll, beforeAll } from '@jest/globals';
import { RedisServer } from '../redis/redis-server.js';
import { runApp, type RunningApp } from './running-app.js';

/** The application on a Redis of its own, for facts that do harm to Redis: one of each for the file. */
export function useAppOnOwnRedis(): { readonly redis: RedisServer; readonly service: RunningApp } {
  let redis: RedisServer;
  let service: RunningApp;
  beforeAll(async () => {
    redis = await RedisServer.start();
    service = await runApp({ REDIS_URL: redis.url });
  }, 60_000);
  afterAll(async () => {
    // The server ends even when the service did not start.
    try {
      await service.close();
    } finally {
      await redis.stop();
    }
  }, 60_000);
  return {
    get redis() {
      return redis;
    },
    get service() {
      return service;
    },
  };
}
