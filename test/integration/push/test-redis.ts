import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freeLoopbackPort } from '../../../src/redis/embedded/free-port.js';
import { eventually } from '../../support/eventually.js';
import { redisProgram } from '../../support/redis-program.js';

/** A Redis of its own for a test: on loopback, without persistence, gone when the test is over. */
export class TestRedis {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<TestRedis> {
    const { command, env } = await redisProgram();
    const port = await freeLoopbackPort();
    const folder = mkdtempSync(join(tmpdir(), 'push-redis-'));
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const server = spawn(command, args, { env, stdio: 'ignore' });
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
