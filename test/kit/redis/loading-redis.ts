import { Redis } from 'ioredis';
import { RedisServer } from './redis-server.js';

/** With this delay, in microseconds a key, a server reads its data for longer than the first answer may take. */
export const SLOW_LOADING = { 'key-load-delay': '500', 'loading-process-events-interval-bytes': '1024' };
const KEYS = 12_000;

/** Stores enough keys for a slow start; `key:1` is `value`. */
export async function fillForSlowLoading(url: string): Promise<void> {
  const client = new Redis(url);
  const steps = client.pipeline();
  for (let key = 0; key < KEYS; key += 1) steps.set(`key:${key}`, 'value');
  await steps.exec();
  client.disconnect();
}

/** A server that is down and will load slowly: `launch()` starts it. */
export async function slowlyLoadingServer(): Promise<RedisServer> {
  const redis = await RedisServer.start({ config: SLOW_LOADING });
  await fillForSlowLoading(redis.url);
  await redis.kill();
  return redis;
}
