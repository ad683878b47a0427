import { packageVersion } from '../../../platform/config/package-version.js';
import { printableLine } from '@parley/protocol/json/printable.js';
import { GuardedHttp } from '../../../remote-agents/directory/guarded-http.js';
import { GuardedClient } from '../../../outbound/guarded-client.js';
import type { ToolDefinition } from '../../../mcp-tools/client/tool-definition.js';
import { ToolError } from '../../../mcp-tools/client/tool-error.js';
import { CredentialStore } from '../../../mcp-tools/connection/credential.store.js';
import { EraStore } from '../../../mcp-tools/connection/era.store.js';
import { type ToolServerSettings, UNPINNED } from '../../../mcp-tools/settings/server-file.js';
import { ToolConnection } from '../../../mcp-tools/connection/tool-connection.js';
import { ToolKeys } from '../../../mcp-tools/tool.keys.js';
import type { ToolModuleOptions } from '../../../mcp-tools/tool.module.js';
import { ToolPeers } from '../../../mcp-tools/connection/tool-peers.js';
import { OperatorError } from '../operator-error.js';
import { withRedis } from '../with-service.js';

/** Whether a server is called with a credential per tenant. */
export function isOfTenants({ transport }: ToolServerSettings): boolean {
  return transport.type === 'http' && transport.auth.type === 'tenant';
}

interface Asking extends Pick<ToolModuleOptions, 'allow'> {
  readonly tenant: string;
  readonly credentials: CredentialStore | undefined;
}

/** Comparison of a tool with the file: `pinned`, `differs`, `no pin`, `not listed` or `gone`. */
export function stateOf({ tools }: ToolServerSettings, name: string, now: ToolDefinition | undefined): string {
  const settings = tools.find((tool) => tool.name === name);
  if (settings === undefined) return 'not listed';
  if (now === undefined) return 'gone';
  if (settings.pin === UNPINNED) return 'no pin';
  return settings.pin === now.pin ? 'pinned' : 'differs';
}

/** Lists the tools at the server itself, with a credential of a tenant if it requires one. @throws OperatorError */
export async function toolsOf(
  server: ToolServerSettings,
  { box, keyPrefix, allow }: Pick<ToolModuleOptions, 'box' | 'keyPrefix' | 'allow'>,
  tenant?: string,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  if (!isOfTenants(server)) return listed(server, { allow, tenant: '', credentials: undefined });
  if (tenant === undefined || box === undefined)
    throw new OperatorError(
      `${server.name} wants a credential of a tenant: name it with --tenant, and set SECRET_KEYS.`,
    );
  return withRedis((redis) =>
    listed(server, { allow, tenant, credentials: new CredentialStore(redis, new ToolKeys(keyPrefix), box) }),
  );
}

async function listed(
  server: ToolServerSettings,
  { allow, tenant, credentials }: Asking,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  const egress = new GuardedClient({ ports: [443], allowHttp: false, allow });
  const client = { name: 'parley', version: packageVersion() };
  const peers = new ToolPeers({ http: new GuardedHttp(egress), client, eras: forgetful(), credentials });
  const connection = new ToolConnection(() => peers.open(server, tenant));
  try {
    return await connection.tools();
  } catch (error) {
    if (error instanceof ToolError)
      throw new OperatorError(printableLine(`${server.name}: ${error.message}.`), { cause: error });
    throw error;
  } finally {
    await connection.close();
    await egress.close();
  }
}

/** Operators always probe the server anew. */
function forgetful(): EraStore {
  return new EraStore({ get: () => Promise.resolve(null), set: () => Promise.resolve() }, new ToolKeys(''));
}
