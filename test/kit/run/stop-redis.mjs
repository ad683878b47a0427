// Jest's globalTeardown: ends the server that start-redis.mjs has started, and removes its folder.
import { rm } from 'node:fs/promises';

export default async function stopRedis() {
  if (globalThis.testRedis === undefined) return;
  const { redis, dataDir } = globalThis.testRedis;
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
}
