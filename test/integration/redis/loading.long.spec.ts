import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { faultAnswer } from '../../../src/main/app.faults.js';
import { StartupProbe } from '../../../src/http/startup-probe.js';
import { startEmbeddedRedis } from '../../../src/platform/redis/embedded/embedded-redis.js';
import { assertFit, UnfitRedis } from '../../../src/platform/redis/health/fit.js';
import type { Loading } from '../../../src/platform/redis/connection/loading.js';
import { eventually } from '../../kit/run/eventually.js';
import { fillForSlowLoading, SLOW_LOADING, slowlyLoadingServer } from '../../kit/redis/loading-redis.js';
import { redisProgram } from '../../kit/redis/redis-program.js';
import type { RedisServer } from '../../kit/redis/redis-server.js';

const TIMEOUT_MS = 60_000;

let cleanUps: (() => unknown)[];

beforeEach(() => {
  cleanUps = [];
});

afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** A server program that takes its time to read its data: a wrapper of the one that the tests use. */
async function slowServer(folder: string): Promise<string> {
  const { command, env } = await redisProgram();
  const path = join(folder, 'slow-redis-server');
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  const options = Object.entries(SLOW_LOADING).map(([name, value]) => `--${name} ${value}`);
  await writeFile(path, `#!/bin/sh\n${variables.join('')}exec '${command}' "$@" ${options.join(' ')}\n`);
  await chmod(path, 0o755);
  return path;
}

describe(startEmbeddedRedis.name, () => {
  it(
    'waits while the server reads its data, and says how far it is',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'parley-loading-'));
      cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
      const options = { dataDir, serverBinary: await slowServer(dataDir) };
      const first = await startEmbeddedRedis(options);
      await fillForSlowLoading(first.url);
      await first.stop();

      const seen: (Loading | 'silent')[] = [];
      const second = await startEmbeddedRedis({ ...options, loading: { onLoading: (loading) => seen.push(loading) } });
      cleanUps.push(() => second.stop());
      const client = new Redis(second.url, { enableReadyCheck: false });
      cleanUps.push(() => {
        client.disconnect();
      });
      expect(await client.get('key:1')).toBe('value');
      expect(seen).toContainEqual(expect.objectContaining({ percent: expect.any(Number) }));
    },
    TIMEOUT_MS,
  );

  it(
    'waits for no longer than it may',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'parley-loading-'));
      cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
      const options = { dataDir, serverBinary: await slowServer(dataDir) };
      const first = await startEmbeddedRedis(options);
      await fillForSlowLoading(first.url);
      await first.stop();
      await expect(startEmbeddedRedis({ ...options, loading: { mostMs: 500 } })).rejects.toMatchObject({
        fault: 'start-failed',
        message: expect.stringContaining('still loading its data after 0.5 s'),
      });
    },
    TIMEOUT_MS,
  );
});

describe(assertFit.name, () => {
  async function loadingServer(): Promise<RedisServer> {
    const redis = await slowlyLoadingServer();
    cleanUps.push(() => redis.stop());
    return redis;
  }

  it(
    'waits for a Redis that is loading',
    async () => {
      const redis = await loadingServer();
      const seen: (Loading | 'silent')[] = [];
      const onLoading = (loading: Loading | 'silent'): unknown => seen.push(loading);
      await Promise.all([redis.launch(), assertFit(redis.url, { mostMs: TIMEOUT_MS, onLoading })]);
      const client = new Redis(redis.url, { enableReadyCheck: false });
      cleanUps.push(() => {
        client.disconnect();
      });
      expect(await client.get('key:1')).toBe('value');
      expect(seen).toContainEqual(expect.objectContaining({ percent: expect.any(Number) }));
    },
    TIMEOUT_MS,
  );

  it(
    'names the variable of the wait when it is over',
    async () => {
      const redis = await loadingServer();
      const [, reason] = await Promise.all([
        redis.launch(),
        assertFit(redis.url, { mostMs: 100 }).catch((error: unknown) => error),
      ]);
      expect(reason).toBeInstanceOf(UnfitRedis);
      expect(reason).toMatchObject({ message: expect.stringContaining('redis.loadingSeconds') });
    },
    TIMEOUT_MS,
  );
});

describe(StartupProbe.name, () => {
  it('is live and not started, says why, and gives the port free', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    taken.close();
    await once(taken, 'close');
    const probe = new StartupProbe('127.0.0.1', port, faultAnswer);
    probe.report('Redis is loading its data: 10 %');
    probe.report('Redis is loading its data: 43 %');
    const url = `http://127.0.0.1:${String(port)}`;
    await eventually(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200));
    const startup = await fetch(`${url}/health/startup`);
    expect(startup.status).toBe(503);
    expect(await startup.json()).toMatchObject({
      details: { redis: { status: 'down', message: 'Redis is loading its data: 43 %' } },
    });
    await probe.close();
    const next = createServer().listen(port, '127.0.0.1');
    await once(next, 'listening');
    next.close();
  });
});
