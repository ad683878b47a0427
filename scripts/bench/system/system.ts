import { rm } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SCOPE_OF } from '../../../src/auth/scopes.js';
import type { RedisServer } from '../../../test/kit/redis/redis-server.js';
import { AUDIENCE, type TestIssuer } from '../../../test/kit/auth/test-issuer.js';
import { temporaryFolder } from '../../../test/kit/run/temporary-folder.mjs';
import { npmPackages } from '../../mcp/toolbox.mjs';
import { ServerProcess } from './server-process.js';
import { processorMsOf } from './work.mjs';

/**
 * Measured systems: our service in one process, with api, worker and dispatcher apart, in one process with all guards on;
 * the A2A SDK and the MCP SDK.
 */
export const A2A_SYSTEMS = ['parley', 'parley-apart', 'parley-guarded', 'sdk-memory', 'sdk-redis'] as const;
export const SYSTEMS = [...A2A_SYSTEMS, 'sdk-mcp'] as const;
/** The service as another commit has it (`bench:floor --against`), and roles apart with all guards on. */
type FloorSystem = 'parley-apart-guarded' | `before${'' | '-guarded' | '-apart' | '-apart-guarded'}`;
export type SystemName = (typeof SYSTEMS)[number] | FloorSystem;

/** Surroundings on which a system is started. */
export interface Ground {
  readonly redis: RedisServer;
  readonly issuer: TestIssuer;
  /** More variables for our service. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Where our service is built; absent: here. */
  readonly root?: string;
}

/** Processor time of a system's own processes, and of its Redis if it has one. */
interface ProcessorMs {
  readonly node: number;
  readonly redis: number | undefined;
}

/** Not among our own packages: nothing of the service uses them. */
const MCP_PEER = ['@modelcontextprotocol/server@2.4.0', '@modelcontextprotocol/node@2.1.2'];
const QUIET_EVERY_MS = 100;
const QUIET_SHARE = 0.1;
const QUIET_WITHIN_MS = 60_000;
/** Longer than any run of a test: a token must not end in the middle of one. */
const TOKEN_S = 7_200;

/** One system under test, running. */
export class System {
  private constructor(
    readonly name: SystemName,
    /** The process that answers callers comes first. */
    private readonly processes: readonly [ServerProcess, ...ServerProcess[]],
    /** Headers that every call needs. */
    readonly headers: Readonly<Record<string, string>>,
    /** Where it stores its tasks; undefined where it has none. */
    readonly redis: RedisServer | undefined,
    /** The system's output folder, removed with it. */
    private readonly folder?: string,
  ) {}

  static async start(name: SystemName, { redis, issuer, variables = {}, root }: Ground): Promise<System> {
    const version = { 'a2a-version': '1.0' };
    if (name === 'sdk-memory' || name === 'sdk-redis') {
      const store = name === 'sdk-redis' ? { REDIS_URL: redis.url } : {};
      const peer = await ServerProcess.start('./peer.mjs', { BENCH_REDIS_PID: String(redis.pid), ...store, NODE_ENV });
      return new System(name, [peer], version, name === 'sdk-redis' ? redis : undefined);
    }
    if (name === 'sdk-mcp') {
      const MCP_PEER_PACKAGES = await npmPackages('bench', MCP_PEER);
      const peer = await ServerProcess.start('./mcp-peer.mjs', { ...variables, MCP_PEER_PACKAGES, NODE_ENV });
      return new System(name, [peer], {}, undefined);
    }
    const folder = name.endsWith('-guarded') ? temporaryFolder('bench') : undefined;
    const program = root === undefined ? '../service.mjs' : pathToFileURL(join(root, 'scripts/bench/service.mjs')).href;
    const guards = folder === undefined ? {} : guardsOf(issuer, folder);
    const all = { ...serviceVariables(redis), ...guards, ...variables };
    const [first = 'all', ...others] = name.includes('-apart') ? ['api', 'worker', 'dispatcher'] : ['all'];
    const start = (ROLE: string): Promise<ServerProcess> =>
      ServerProcess.start(program, { ...all, ROLE }, SERVICE_FLAGS);
    const [front, ...rest] = [await start(first), ...(await Promise.all(others.map(start)))] as const;
    const headers = name.endsWith('-guarded') ? { ...version, authorization: `Bearer ${tokenOf(issuer)}` } : version;
    return new System(name, [front, ...rest], headers, redis, folder);
  }

  get url(): string {
    return this.processes[0].url;
  }

  /** Resident memory of the process that answers callers, in bytes. */
  async memory(): Promise<number> {
    return (await this.processes[0].memory()).resident;
  }

  /** The used heap of that process, in bytes: less noisy than the resident set. */
  async heap(): Promise<number> {
    return (await this.processes[0].memory()).heap;
  }

  /** Processor time that the system has used so far, in ms. */
  async processorMs(): Promise<ProcessorMs> {
    const each = await Promise.all(this.processes.map(({ pid }) => processorMsOf(pid)));
    const node = each.reduce((sum, ms) => sum + ms, 0);
    return { node, redis: this.redis && (await processorMsOf(this.redis.pid)) };
  }

  /** Resolves when the system is idle: the next round must not pay for the last one. */
  async quiet(): Promise<void> {
    const deadline = Date.now() + QUIET_WITHIN_MS;
    const usedMs = async (): Promise<number> => {
      const { node, redis = 0 } = await this.processorMs();
      return node + redis;
    };
    let [used, looks] = [await usedMs(), 0];
    while (looks < 2 && Date.now() < deadline) {
      await pause(QUIET_EVERY_MS);
      const now = await usedMs();
      looks = now - used <= QUIET_EVERY_MS * QUIET_SHARE ? looks + 1 : 0;
      used = now;
    }
  }

  /** Calls one operation; gives its result. @throws for an answer that is an error */
  async call(method: string, params: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: Record<string, unknown>; error?: unknown };
    if (result === undefined) throw new Error(`${this.name}, ${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((server) => server.stop()));
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
  }
}

const NODE_ENV = 'production';
/** As `npm start` and the image have them; the SDK is started as in its documentation. */
const SERVICE_FLAGS = ['--no-memory-reducer', '--min-semi-space-size=16'];

function serviceVariables(redis: RedisServer): Readonly<Record<string, string>> {
  return {
    ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', AUDIT_LOG: devNull, NODE_ENV, DRAIN_MS: '0' },
    ...{ REDIS_URL: redis.url, BENCH_REDIS_PID: String(redis.pid) },
    ...{ BLOCKING_MS: '600000', SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}` },
  };
}

function guardsOf(issuer: TestIssuer, folder: string): Readonly<Record<string, string>> {
  const audit = join(folder, 'audit.log');
  return { JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, METRICS_PORT: '0', AUDIT_LOG: audit };
}

function tokenOf(issuer: TestIssuer): string {
  const scope = [...new Set(Object.values(SCOPE_OF))].join(' ');
  return issuer.token({ scope, exp: Math.floor(Date.now() / 1000) + TOKEN_S });
}
