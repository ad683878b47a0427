import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freeLoopbackPort } from '../../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../run/eventually.js';
import { redisProgram } from './redis-program.js';
import { temporaryFolder } from '../run/temporary-folder.mjs';

/** What a server may be started with besides what every one has: loopback, append-only file, no eviction. */
export interface RedisServerOptions {
  /** Directives of redis.conf, for example `{ maxmemory: '20mb' }`; of a Sentinel, those of its configuration file. */
  readonly config?: Readonly<Record<string, string>>;
  /** Fixed port, for servers that must name each other before they run; a free one when absent. */
  readonly port?: number;
  readonly sentinel?: boolean;
}

/**
 * A real Redis server of one test, on loopback: can be killed as a crash would and started again on its data. Ends with
 * `stop()`; a test that dies leaves it to its parent's exit handler.
 */
export class RedisServer {
  private process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly folder: string,
    private readonly options: RedisServerOptions,
  ) {}

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const port = options.port ?? (await freeLoopbackPort());
    const server = new RedisServer(port, temporaryFolder('redis'), options);
    await server.launch();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  /** Starts the server on the data of its last run, and waits until it answers. */
  async launch(): Promise<void> {
    const { command, env } = await redisProgram();
    const child = spawn(command, await this.arguments(), { cwd: this.folder, env, stdio: 'ignore' });
    this.process = child;
    const endWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => process.removeListener('exit', endWithUs));
    await eventually(() => this.answers(), { timeoutMs: 30_000 });
  }

  /** Ends the server as a crash would: nothing is written any more. */
  async kill(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Changes one directive of the running server. */
  async set(directive: string, value: string): Promise<void> {
    await this.ask((client) => client.config('SET', directive, value));
  }

  /** Sends one signal: SIGSTOP and SIGCONT are a server that hangs and comes back. */
  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal);
  }

  private async arguments(): Promise<string[]> {
    const base = { bind: '127.0.0.1', port: String(this.port), dir: '.' };
    if (this.options.sentinel === true) return this.sentinelArguments({ ...base, ...this.options.config });
    const data = { save: '', appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction' };
    const config = { ...base, ...data, ...this.options.config };
    return Object.entries(config).flatMap(([name, value]) => [`--${name}`, value]);
  }

  /** A Sentinel keeps what it learns in its configuration file. */
  private async sentinelArguments(config: Readonly<Record<string, string>>): Promise<string[]> {
    const lines = Object.entries(config).map(([name, value]) => `${name} ${value}\n`);
    await writeFile(join(this.folder, 'sentinel.conf'), lines.join(''));
    return ['./sentinel.conf', '--sentinel'];
  }

  private async answers(): Promise<void> {
    await this.ask((client) => client.ping());
  }

  private async ask(question: (client: Redis) => Promise<unknown>): Promise<void> {
    const client = new Redis(this.port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await question(client);
    } finally {
      // Of a connection that was refused there is nothing to end, and ioredis would wait two seconds for it.
      if (client.status !== 'end') client.disconnect();
    }
  }
}
