import { Redis } from 'ioredis';
import { RedisServer } from '../../../test/kit/redis/redis-server.js';
import { TestIssuer } from '../../../test/kit/auth/test-issuer.js';
import { type Ground, System, type SystemName } from './system.js';
import { WorkerProcess } from './worker-process.js';

/** How much is measured. */
export interface Effort {
  /** Rounds, each of which has every system once. */
  readonly rounds: number;
  /** Length of one load. */
  readonly seconds: number;
  /** A trial within a minute: everything smaller, so that no figure is worth keeping. */
  readonly quick: boolean;
  /** Systems to measure; the others are left out of every case. */
  readonly systems: readonly SystemName[];
  /** Requests of a warm-up; absent: as many as V8 compiles for. */
  readonly warmUp?: number;
}

/** Parameters of a load; `[<id>]` in the body becomes an id of its own in each request. */
export interface Load {
  readonly path?: string;
  readonly body?: object;
  readonly connections: number;
  /** Beside those of the system. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Every good answer contains this. */
  readonly expected: string;
  /** Requests per second; absent: each connection sends its next request when it has its answer. */
  readonly perSecond?: number;
  /** A number of requests instead of a number of seconds. */
  readonly amount?: number;
}

export interface LoadResult {
  readonly count: number;
  readonly seconds: number;
  readonly failures: number;
  /** Ms. */
  readonly p50: number;
  readonly p99: number;
}

/** Redis rewrites its append-only file whenever that has doubled, for seconds and with a processor of its own: it would slow a random system. */
const NO_REWRITES = { 'auto-aof-rewrite-percentage': '0' };

/** The resources of one benchmark: its issuer, its load generator, and a Redis for the tasks that a case writes itself. */
export class Lab {
  private readonly running = new Set<System>();
  /** Of the systems that are running. */
  private readonly servers = new Set<RedisServer>();

  private constructor(
    readonly effort: Effort,
    readonly redis: RedisServer,
    private readonly issuer: TestIssuer,
    private readonly generator: WorkerProcess,
    readonly say: (line: string) => void,
  ) {}

  static async open(effort: Effort, say: (line: string) => void): Promise<Lab> {
    const [redis, issuer] = await Promise.all([startRedis(), TestIssuer.start()]);
    return new Lab(effort, redis, issuer, new WorkerProcess('../load/load.mjs'), say);
  }

  async redisVersion(): Promise<string> {
    const client = new Redis(this.redis.url);
    const information = await client.info('server');
    client.disconnect();
    return /redis_version:(\S+)/.exec(information)?.[1] ?? '';
  }

  /**
   * Starts a system; it ends with `stopAll` at the latest. Its Redis is its own unless one is given: data of others there
   * would make its commands slower, and their growth would be paid by the system that is measured just then.
   */
  async start(name: SystemName, ground: Partial<Ground> = {}): Promise<System> {
    const redis = ground.redis ?? (await startRedis());
    if (ground.redis === undefined) this.servers.add(redis);
    const system = await System.start(name, { redis, issuer: this.issuer, ...ground });
    this.running.add(system);
    return system;
  }

  /** Starts those of the systems that this run is about. */
  async startAll(names: readonly SystemName[], ground: Partial<Ground> = {}): Promise<readonly System[]> {
    const wanted = names.filter((name) => this.effort.systems.includes(name));
    return Promise.all(wanted.map((name) => this.start(name, ground)));
  }

  /** Ends all systems, and drops their data. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.running].map((system) => system.stop()));
    await Promise.all([...this.servers].map((redis) => redis.stop()));
    this.running.clear();
    this.servers.clear();
    const client = new Redis(this.redis.url);
    await client.flushall();
    client.disconnect();
  }

  /** Puts a load on a system. @throws when an answer was wrong: figures of a broken system are worth nothing */
  async load(
    system: System,
    { path = '/', body, headers, ...load }: Load,
    seconds = this.effort.seconds,
  ): Promise<LoadResult> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const result = await this.generator.do<LoadResult>({
      ...{ url: `${system.url}${path}`, method: body === undefined ? 'GET' : 'POST', seconds, ...load },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { ...system.headers, ...json, ...headers },
    });
    if (result.failures > 0) throw new Error(`${system.name}: ${result.failures} wrong answers of ${result.count}`);
    return result;
  }

  async close(): Promise<void> {
    await this.stopAll();
    await Promise.all([this.generator.stop(), this.issuer.stop(), this.redis.stop()]);
  }
}

function startRedis(): Promise<RedisServer> {
  return RedisServer.start({ config: NO_REWRITES });
}
