// Measures `parley ops migrate` over many tasks of schema 2, copies of those of the fixture:
//   npx nest build && node --import ./test/kit/typescript.mjs scripts/migration/measure.ts [tasks, default 100000]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { storeCopies } from '../../test/kit/migration/copies.js';
import { readFixture } from '../../test/kit/migration/stored-fixture.js';
import { RedisServer } from '../../test/kit/redis-server.js';

const PREFIX = 'measured';
const MIB = 1_048_576;
const count = Number(process.argv[2] ?? 100_000);

const server = await RedisServer.start();
const redis = new Redis(server.url);
try {
  await storeCopies(redis, await readFixture(), PREFIX, count);
  const before = await usedMemory();
  let most = before;
  const watch = setInterval(() => void usedMemory().then((now) => (most = Math.max(most, now))), 200);
  const began = performance.now();
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, REDIS_URL: server.url, KEY_PREFIX: PREFIX };
  const command = spawn(process.execPath, ['dist/cli/parley.js', 'ops', 'migrate'], { env, stdio: 'inherit' });
  let rss = 0;
  const look = setInterval(() => void peakOf(command.pid ?? 0).then((now) => (rss = Math.max(rss, now))), 100);
  const [code] = (await once(command, 'exit')) as [number];
  const seconds = (performance.now() - began) / 1000;
  clearInterval(look);
  clearInterval(watch);
  const lines = [
    `exit code ${code}, ${count} tasks, ${seconds.toFixed(1)} s with the start, ${Math.round(count / seconds)} tasks a second`,
    `memory of the command at most ${Math.round(rss / MIB)} MiB`,
    `memory of Redis ${mib(before)} MiB before, ${mib(most)} MiB at most, ${mib(await usedMemory())} MiB afterwards`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  redis.disconnect();
  await server.stop();
}

async function usedMemory(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1] ?? 0);
}

/** The most that a process has had resident, bytes; 0 when it has ended. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}
