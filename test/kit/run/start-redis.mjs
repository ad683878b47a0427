// Jest's globalSetup for the projects that need Redis: one server for the whole run, in a folder of its own, which ends
// with the run even if that is killed. TEST_REDIS_URL in the environment names another server to use instead, and
// TEST_REDIS_PROGRAM another program to start.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import startRun from './start-run.mjs';
import './typescript.mjs';

export default async function startRedis() {
  startRun();
  if (process.env.TEST_REDIS_URL !== undefined) return;
  const { startEmbeddedRedis } = await import('../../../src/platform/redis/embedded/embedded-redis.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const named = process.env.TEST_REDIS_PROGRAM;
  const redis = await startEmbeddedRedis({
    ...{ dataDir, kind: 'redis', onProgress: (line) => console.log(line) },
    ...(named === undefined ? {} : { serverBinary: named }),
  });
  process.env.TEST_REDIS_URL = redis.url;
  globalThis.testRedis = { redis, dataDir };
}
