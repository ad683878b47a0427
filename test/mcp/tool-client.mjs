import { GuardedHttp } from '../../dist/remote-agents/directory/guarded-http.js';
import { parseAllowList } from '../../dist/outbound/allow-list.js';
import { GuardedClient } from '../../dist/outbound/guarded-client.js';
import { EraStore } from '../../dist/mcp-tools/connection/era.store.js';
import { ToolKeys } from '../../dist/mcp-tools/tool.keys.js';
import { ToolPeers } from '../../dist/mcp-tools/connection/tool-peers.js';
import { ToolServerPool } from '../../dist/mcp-tools/connection/tool-server-pool.js';

const TERMS = { effects: 'once', onUnknown: 'fail', timeoutMs: 30_000, maxResultBytes: 1_048_576, isLong: false };
const METRICS = { called: () => undefined, mismatched: () => undefined };

/** The tool client of the built service for one server, which is not pinned by a person but taken as it is. */
export class ToolClient {
  /** The revisions that were found out. */
  eras = new Map();

  /**
   * @param transport as server-file.ts reads it
   * @param allow addresses of this machine that may be called, as in EGRESS_ALLOW
   */
  constructor({ transport, allow = '', era = 'auto' }) {
    const memory = {
      get: async (key) => this.eras.get(key) ?? null,
      set: async (key, found) => this.eras.set(key, found),
    };
    this.egress = new GuardedClient({ ports: [443], allowHttp: false, allow: parseAllowList(allow) });
    const peers = new ToolPeers({
      ...{ http: new GuardedHttp(this.egress), client: { name: 'parley', version: '0' } },
      eras: new EraStore(memory, new ToolKeys('interop')),
    });
    this.server = { name: 'them', transport, era, concurrency: 4, tools: [] };
    const originOf = async () => ({ hopsLeft: 8, trace: {} });
    this.pool = new ToolServerPool({ servers: [this.server], peers, metrics: METRICS, originOf });
  }

  /** Puts all tools of the server on the list, and gives them. */
  async pinAll() {
    const listed = await this.pool.connection(this.server, '').tools();
    for (const { name, pin } of listed.values()) this.server.tools.push({ name, pin, ...TERMS });
    return [...listed.values()];
  }

  call(tool, args, options = {}) {
    const { signal } = new AbortController();
    const own = { taskId: '', server: 'them', tool, args, tenant: '', idempotencyKey: tool, signal };
    return this.pool.invoke({ ...own, ...options });
  }

  async close() {
    await this.pool.onApplicationShutdown();
    await this.egress.close();
  }
}
