import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';

/** A Redis of its own for a test: on loopback, without persistence, gone when the test is over. */
export class TestRedis {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<TestRedis> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'push-redis-'));
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const server = spawn(process.env.TEST_REDIS_SERVER ?? 'redis-server', args, { stdio: 'ignore' });
    const redis = new TestRedis(`redis://127.0.0.1:${String(port)}`, server, folder);
    const probe = new Redis(redis.url, { lazyConnect: true, retryStrategy: () => 20 });
    probe.on('error', () => undefined);
    await eventually(() => probe.ping());
    probe.disconnect();
    return redis;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.server.once('exit', resolve));
    this.server.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
