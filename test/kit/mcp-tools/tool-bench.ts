import type { JsonObject } from '@parley/protocol/model/json.js';
import { parseAllowList } from '../../../src/outbound/allow-list.js';
import { type EgressOptions, GuardedClient } from '../../../src/outbound/guarded-client.js';
import { GuardedHttp } from '../../../src/remote-agents/directory/guarded-http.js';
import type { ToolInvocation, ToolOutcome } from '@parley/sdk/skill/tools/skill-tool.js';
import { pinOf } from '../../../src/mcp-tools/client/tool-definition.js';
import { EraStore } from '../../../src/mcp-tools/connection/era.store.js';
import type {
  HttpTransport,
  StdioTransport,
  ToolServerSettings,
  ToolSettings,
} from '../../../src/mcp-tools/settings/server-file.js';
import { ToolKeys } from '../../../src/mcp-tools/tool.keys.js';
import type { ToolMetrics } from '../../../src/mcp-tools/tool.metrics.js';
import { ToolPeers } from '../../../src/mcp-tools/connection/tool-peers.js';
import { ToolServerPool } from '../../../src/mcp-tools/connection/tool-server-pool.js';
import { ECHO_TOOL, type StubTool, type ToolServerStub } from './tool-server-stub.js';

/** The terms of a tool, pinned as it is. */
export function aTool(tool: StubTool = ECHO_TOOL, terms: Partial<ToolSettings> = {}): ToolSettings {
  return {
    ...{ name: tool.name, pin: pinOf({ ...tool }), effects: 'once', onUnknown: 'fail', timeoutMs: 2000 },
    ...{ maxResultBytes: 100_000, isLong: false, ...terms },
  };
}

/** A server of the operator's file. */
export function aServer(
  stub: Pick<ToolServerStub, 'url'>,
  { tools = [aTool()], ...rest }: Partial<ToolServerSettings> = {},
): ToolServerSettings {
  const transport: HttpTransport | StdioTransport = { type: 'http', url: stub.url, auth: { type: 'none' } };
  return { name: 'files', transport, era: 'auto', concurrency: 4, tools, ...rest };
}

/** Tool servers of one process, over the egress guard, with a Redis of three commands. */
export class ToolBench {
  readonly kept = new Map<string, string>();
  readonly mismatches: string[] = [];
  readonly endings: string[] = [];
  readonly pool: ToolServerPool;
  readonly peers: ToolPeers;
  private readonly egress: GuardedClient;

  constructor(servers: readonly ToolServerSettings[], { hops = 7, allow, credentials, ...egress }: BenchOptions = {}) {
    const hosts = servers.flatMap(({ transport }) => (transport.type === 'http' ? [new URL(transport.url).host] : []));
    const allowed = allow ?? hosts.map((host) => `${host}=127.0.0.1/32!http`).join(';');
    this.egress = new GuardedClient({ ports: [443], allowHttp: false, allow: parseAllowList(allowed), ...egress });
    const memory = {
      get: async (key: string) => this.kept.get(key) ?? null,
      set: async (key: string, era: string) => this.kept.set(key, era),
    };
    const metrics = {
      called: (_server: string, ending: string) => void this.endings.push(ending),
      mismatched: (_server: string, tool: string) => void this.mismatches.push(tool),
    } as unknown as ToolMetrics;
    const http = new GuardedHttp(this.egress);
    const eras = new EraStore(memory, new ToolKeys('test'));
    this.peers = new ToolPeers({ http, client: { name: 'parley', version: '0' }, eras, credentials });
    this.pool = new ToolServerPool({
      servers,
      peers: this.peers,
      metrics,
      firstPauseMs: 5,
      originOf: async () => ({ hopsLeft: hops, trace: {} }),
    });
  }

  call(args: JsonObject = { text: 'hello' }, options: Partial<ToolInvocation> = {}): Promise<ToolOutcome> {
    return this.pool.invoke({
      ...{ taskId: 'task', server: 'files', tool: 'echo', args, tenant: 'acme', idempotencyKey: 'task:1:call' },
      signal: new AbortController().signal,
      ...options,
    });
  }

  async close(): Promise<void> {
    await this.pool.onApplicationShutdown();
    await this.egress.close();
  }
}

type BenchOptions = Partial<Omit<EgressOptions, 'allow'>> & {
  readonly hops?: number;
  /** Entries of EGRESS_ALLOW; default: the servers. */
  readonly allow?: string;
  readonly credentials?: ConstructorParameters<typeof ToolPeers>[0]['credentials'];
};
