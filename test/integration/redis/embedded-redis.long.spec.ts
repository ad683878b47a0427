import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../../src/platform/redis/embedded/embedded-redis.js';
import type { EmbeddedRedisOptions } from '../../../src/platform/redis/embedded/embedded-redis.options.js';
import { cachedServer, unpackServer } from '../../../src/platform/redis/embedded/program/unpack-debian.js';
import { eventually } from '../../kit/run/eventually.js';

const OWNER = fileURLToPath(new URL('../../kit/redis/redis-owner.ts', import.meta.url));
const LOADER = new URL('../../kit/run/typescript.mjs', import.meta.url).href;
const IS_LINUX = process.platform === 'linux';
const HAS_APT = existsSync('/usr/bin/apt-get');

let dataDir: string;
let cleanUps: (() => unknown)[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
  cleanUps = [];
});

afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(options: Partial<EmbeddedRedisOptions> = {}): Promise<EmbeddedRedis> {
  const redis = await startEmbeddedRedis({ dataDir, kind: 'redis', ...options });
  cleanUps.push(() => redis.stop());
  return redis;
}

function clientOf(url: string): Redis {
  const client = new Redis(url);
  client.on('error', () => undefined);
  cleanUps.push(() => client.disconnect());
  return client;
}

/** A process of its own that owns an embedded Redis, alone in its process group as under a shell. */
async function startOwner(): Promise<{ owner: ChildProcess; pid: number; url: string }> {
  const owner = spawn(process.execPath, ['--import', LOADER, OWNER, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUps.push(() => owner.kill('SIGKILL'));
  const [url] = await once(owner.stdout, 'data');
  return { owner, pid: owner.pid!, url: String(url).trim() };
}

async function serverPid(client: Redis): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that has ended is listed until its parent asks how.
  return !(IS_LINUX && /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
}

async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

describe(startEmbeddedRedis.name, () => {
  it('starts a durable server on loopback that never evicts', async () => {
    const redis = await start();
    expect(redis).toMatchObject({ kind: 'redis', durable: true, dataDir: join(dataDir, 'redis') });
    expect(redis.version).toMatch(/^\d+\.\d+\.\d+$/);
    const client = clientOf(redis.url);
    expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(new URL(redis.url).hostname).toBe('127.0.0.1');
  });

  it('stays up where its folder has a relative name, as in the default start', async () => {
    const { url } = await start({ dataDir: relative(process.cwd(), dataDir) });
    const lock = join(dataDir, 'redis', 'owner.json');
    const { mtimeMs: taken } = await stat(lock);
    await eventually(async () => {
      expect((await stat(lock)).mtimeMs).toBeGreaterThan(taken);
    });
    expect(await clientOf(url).ping()).toBe('PONG');
  });

  it('keeps its data over a stop and a start', async () => {
    const first = await start();
    await clientOf(first.url).set('key', 'value');
    await first.stop();
    const second = await start();
    expect(await clientOf(second.url).get('key')).toBe('value');
  });

  it('leaves no process and no lock behind after stop', async () => {
    const redis = await start();
    const pid = await serverPid(clientOf(redis.url));
    await redis.stop();
    expect(isRunning(pid)).toBe(false);
    expect(await readdir(redis.dataDir)).not.toContain('owner.json');
    await redis.stop();
  });

  it('asks for a password that other users of the machine cannot read', async () => {
    const redis = await start();
    const stranger = clientOf(redis.url.replace(/:[^:@]+@/, ''));
    await expect(stranger.get('key')).rejects.toThrow('NOAUTH');
    expect((await stat(join(redis.dataDir, 'redis.conf'))).mode & 0o077).toBe(0);
    expect((await stat(redis.dataDir)).mode & 0o077).toBe(0);
  });

  it('ends with a service that is killed, and the next one finds the data', async () => {
    const { owner, url } = await startOwner();
    const client = clientOf(url);
    await client.set('key', 'value');
    const pid = await serverPid(client);
    owner.kill('SIGKILL');
    await eventually(() => expect(isRunning(pid)).toBe(false), { timeoutMs: 2000 });
    const next = await start();
    expect(await clientOf(next.url).get('key')).toBe('value');
  });

  it('waits for the server of a service that was killed this moment', async () => {
    const { owner, url } = await startOwner();
    await clientOf(url).set('key', 'value');
    owner.kill('SIGKILL');
    const next = await start();
    expect(await clientOf(next.url).get('key')).toBe('value');
  });

  (IS_LINUX ? it : it.skip)('ends a server whose supervisor was killed too before it starts another', async () => {
    const { owner, url } = await startOwner();
    const client = clientOf(url);
    await client.set('key', 'value');
    const pid = await serverPid(client);
    process.kill(await parentOf(pid), 'SIGKILL');
    cleanUps.push(() => isRunning(pid) && process.kill(pid, 'SIGKILL'));
    owner.kill('SIGKILL');
    const next = await start();
    await eventually(() => expect(isRunning(pid)).toBe(false), { timeoutMs: 1000 });
    expect(await clientOf(next.url).get('key')).toBe('value');
  });

  it('waits for a service that has said that it ends, and finds its data', async () => {
    const first = await start();
    await clientOf(first.url).set('key', 'value');
    first.announceStop(10_000);
    await eventually(async () => expect(await readFile(join(first.dataDir, 'owner.json'), 'utf8')).toContain('endsBy'));
    const lines: string[] = [];
    const next = start({ onProgress: (line) => lines.push(line) });
    await eventually(() => expect(lines).toEqual([expect.stringMatching(/^Waiting for process \d+ to /)]));
    await first.stop();
    expect(await clientOf((await next).url).get('key')).toBe('value');
  });

  it('refuses a data folder that another service uses, and names its process', async () => {
    const { pid, url } = await startOwner();
    await expect(start()).rejects.toMatchObject({
      name: 'EmbeddedRedisError',
      fault: 'data-folder-in-use',
      message: expect.stringContaining(`process ${pid}:`),
    });
    expect(await clientOf(url).ping()).toBe('PONG');
  });

  it('takes over a lock that nobody keeps alive, even if its process id is in use again', async () => {
    const first = await start();
    await first.stop();
    const stale = { pid: process.pid, host: 'another-container', token: 'stale' };
    await writeFile(join(first.dataDir, 'owner.json'), JSON.stringify(stale));
    const next = await start();
    expect(await clientOf(next.url).ping()).toBe('PONG');
  });

  it('outlives a Ctrl-C in the terminal, which the service must see first', async () => {
    const { pid, url } = await startOwner();
    const client = clientOf(url);
    const before = await serverPid(client);
    process.kill(-pid, 'SIGINT');
    expect(await client.ping()).toBe('PONG');
    expect(await serverPid(client)).toBe(before);
  });

  it('is started again with its data when it crashes', async () => {
    const redis = await start();
    const client = clientOf(redis.url);
    await client.set('key', 'value');
    const pid = await serverPid(client);
    // A server that dies in its first second would be taken for one that cannot run here.
    await eventually(async () => expect(await client.info('server')).toMatch(/uptime_in_seconds:[2-9]/));
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await client.get('key')).toBe('value'));
    expect(await serverPid(client)).not.toBe(pid);
  });

  it('says what to do when the data folder cannot be written', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    await expect(start({ dataDir: file })).rejects.toMatchObject({
      fault: 'data-folder-not-writable',
      message: expect.stringContaining(file),
    });
    // The kernel answers here that the parent does not exist, however often it is made.
    await expect(start({ dataDir: '/proc/none' })).rejects.toMatchObject({ fault: 'data-folder-not-writable' });
  });

  it('refuses a named server that cannot be used', async () => {
    await expect(start({ serverBinary: 'no-such-server' })).rejects.toMatchObject({ fault: 'no-usable-server' });
    await expect(start({ serverBinary: process.execPath })).rejects.toThrow('it is not a Redis server');
  });

  it('shows the last words of a server that cannot read its data, and gives the folder free', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(first.dataDir, 'appendonlydir', 'appendonly.aof.manifest'), 'junk\n');
    await expect(start()).rejects.toMatchObject({
      fault: 'start-failed',
      message: expect.stringContaining('redis.log'),
    });
    expect(await readdir(first.dataDir)).not.toContain('owner.json');
  });

  it('runs the server in JavaScript as a last resort: scripts work, a password is asked for, nothing is kept', async () => {
    const redis = await start({ kind: 'javascript' });
    expect(redis).toMatchObject({ kind: 'javascript', durable: false });
    expect(await clientOf(redis.url).eval('return redis.call("INCRBY", KEYS[1], ARGV[1])', 1, 'n', '2')).toBe(2);
    const stranger = clientOf(redis.url.replace(/:[^:@]+@/, ''));
    await expect(stranger.get('n')).rejects.toThrow('NOAUTH');
  });
});

describe(unpackServer.name, () => {
  (HAS_APT ? it : it.skip)(
    'gets a server out of the packages of the distribution, once for two services at a time',
    async () => {
      const cacheDir = join(dataDir, 'cache');
      const lines: string[] = [];
      const onProgress = (line: string): unknown => lines.push(line);
      const binaries = await Promise.all([1, 2].map(() => unpackServer({ cacheDir, onProgress })));
      expect(lines).toHaveLength(2);
      expect(binaries[0]).toEqual(binaries[1]);
      expect(await cachedServer({ cacheDir })).toEqual(binaries[0]);
      expect(await readdir(cacheDir)).toHaveLength(1);

      // Its libraries are beside it, whether it is found in the cache or named by redis.serverProgram, by a link even.
      const link = join(dataDir, 'redis-server');
      await symlink(binaries[0]!.path, link);
      const redis = await start({ serverBinary: link });
      expect(await clientOf(redis.url).ping()).toBe('PONG');
    },
    120_000,
  );
});
