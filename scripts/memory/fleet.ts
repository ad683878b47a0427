import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { apiKeyEntry } from '../../test/kit/auth/api-key-entry.js';
import { eventually } from '../../test/kit/run/eventually.js';
import { freePort } from '../../test/kit/run/free-port.mjs';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { temporaryFolder } from '../../test/kit/run/temporary-folder.mjs';
import { headersOf, type Target } from './attacks.js';
import { MemoryGroup } from './memory-group.js';

/** The limits of the chart (values.yaml), in MiB, and the flags of the image. */
const ROLES = { api: 384, worker: 512, dispatcher: 256 } as const;
type Role = keyof typeof ROLES;
const FLAGS = ['--no-memory-reducer', '--min-semi-space-size=16', '--enable-source-maps'];

const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read a2a:tasks.observe';
export const KEYS = {
  greedy: 'greedy.0123456789abcdef',
  modest: 'modest.0123456789abcdef',
  none: 'none.0123456789abcdef',
};
type Tenant = keyof typeof KEYS;

interface Params {
  readonly message: object;
  readonly configuration?: object;
}

interface Member {
  readonly group: MemoryGroup;
  readonly process: ServiceProcess;
}

/** One process of each role in a control group of its memory, and their Redis. */
export class Fleet {
  /** Where the api process listens. */
  url = '';
  private readonly members = new Map<Role, Member>();

  private constructor(
    private readonly redis: RedisServer,
    readonly grpc: string,
    readonly receiver: string,
  ) {}

  static async start(receiver: string): Promise<Fleet> {
    const redis = await RedisServer.start();
    const grpcPort = await freePort();
    const entries = Object.entries(KEYS).map(([tenant, key]) =>
      apiKeyEntry(key, { tenant, client: 'c', scopes: tenant === 'none' ? 'a2a:none' : SCOPES }),
    );
    const variables = {
      ...{ REDIS_URL: redis.url, API_KEYS: entries.join(';'), AUDIT_LOG: devNull, NODE_ENV: 'production' },
      ...{ MCP: 'true', EGRESS_ALLOW: `${receiver}=127.0.0.1/32!http` },
      SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      DATA_DIR: temporaryFolder('memory'),
    };
    const fleet = new Fleet(redis, `127.0.0.1:${String(grpcPort)}`, receiver);
    try {
      for (const [name, mib] of Object.entries(ROLES)) {
        const role = name as Role;
        const group = new MemoryGroup(`parley-${role}`, mib);
        const own = role === 'api' ? { GRPC_PORT: String(grpcPort) } : {};
        const container = { group: group.processes, flags: FLAGS };
        const process = new ServiceProcess({ ...variables, ...own, ROLE: role }, undefined, container);
        fleet.members.set(role, { group, process });
        const address = await process.ready();
        if (role === 'api') fleet.url = address.replace('[::1]', '127.0.0.1');
      }
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  target(tenant: Tenant): Target {
    return { url: this.url, key: KEYS[tenant] };
  }

  /** Sends a message that begins a task; gives its id. */
  async send(tenant: Tenant, text: string): Promise<string> {
    return this.task(tenant, { message: { parts: [{ text }] } });
  }

  /** A task with six files in its history. */
  async largeTask(tenant: Tenant, file: string): Promise<string> {
    const data = { invoiceNumber: 'H1', total: 5 };
    const first = { parts: [{ data }], metadata: { skillId: 'approve_payment' } };
    const id = await this.task(tenant, { message: first, configuration: { returnImmediately: true } });
    for (let at = 0; at < 6; at += 1) {
      const message = { taskId: id, parts: [{ raw: file, mediaType: 'text/plain' }] };
      const messageId = randomUUID();
      const params = {
        message: { messageId, ...message },
        configuration: { returnImmediately: true, historyLength: 0 },
      };
      // On a busy machine Redis may take longer than a call waits: a repeated message has one effect.
      await eventually(() => this.task(tenant, params), { timeoutMs: 60_000, intervalMs: 500 });
    }
    return id;
  }

  async sendWithWebhooks(tenant: Tenant, file: string, url: string, count: number): Promise<void> {
    const message = { parts: [{ raw: file, mediaType: 'text/plain' }] };
    const taskPushNotificationConfig = { url };
    const configuration = { returnImmediately: true, historyLength: 0, taskPushNotificationConfig };
    const id = await this.task(tenant, { message, configuration });
    for (let at = 1; at < count; at += 1) {
      await this.call(tenant, 'CreateTaskPushNotificationConfig', { taskId: id, id: `hook-${String(at)}`, url });
    }
  }

  /** The processes that the kernel ended, and the memory of each. */
  memory(): { readonly killed: number; readonly text: string } {
    const ended = [...this.members.values()].filter(({ process: { child } }) => child.exitCode ?? child.signalCode);
    const figures = [...this.members].map(
      ([role, { group }]) =>
        `${role} ${String(group.peak)} of ${String(ROLES[role])} MiB, ${String(group.killed)} killed`,
    );
    const last = ended.flatMap(({ process }) => process.output.slice(-5));
    return { killed: ended.length, text: [figures.join('; '), ...last].join('\n  ') };
  }

  async stop(): Promise<void> {
    for (const { process, group } of this.members.values()) {
      await process.stop('SIGKILL');
      await process.exited;
      group.remove();
    }
    await this.redis.stop();
  }

  private async task(tenant: Tenant, params: Params): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', ...params.message };
    const result = (await this.call(tenant, 'SendMessage', { ...params, message })) as { task: { id: string } };
    return result.task.id;
  }

  private async call(tenant: Tenant, method: string, params: object): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(this.url, { method: 'POST', headers: headersOf(KEYS[tenant]), body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}
