import { text } from 'node:stream/consumers';
import { toolSettings } from '../../../main/app.settings.js';
import { loadConfig } from '../../../main/app.environment.js';
import { CredentialStore } from '../../../mcp-tools/connection/credential.store.js';
import { ToolKeys } from '../../../mcp-tools/tool.keys.js';
import { OperatorError } from '../operator-error.js';
import { counted, type Output } from '../output.js';
import { withRedis } from '../with-service.js';

/**
 * Stores, removes or lists credentials of tenants for a tool server. A credential is read from standard input only:
 * other users can read arguments. @throws OperatorError
 */
export async function toolSecret(
  name: string,
  { tenant, remove }: { tenant: string; remove?: boolean },
): Promise<Output> {
  const { servers, box } = toolSettings(loadConfig(), '');
  const { transport } = servers.find((server) => server.name === name) ?? {};
  if (transport?.type !== 'http' || transport.auth.type !== 'tenant')
    throw new OperatorError(`${name} is no server of MCP_SERVERS_FILE whose auth is of type tenant.`);
  if (box === undefined) throw new OperatorError('There are no keys to seal it with: set SECRET_KEYS.');
  const token = process.stdin.isTTY || remove === true ? '' : (await text(process.stdin)).trim();
  return withRedis(async (redis, keyPrefix) => {
    const store = new CredentialStore(redis, new ToolKeys(keyPrefix), box);
    if (remove === true) await store.remove(name, tenant);
    else if (token !== '') await store.set(name, tenant, token);
    const tenants = await store.tenants(name);
    const list = tenants.length === 0 ? '' : `: ${tenants.join(', ')}`;
    return {
      json: { server: name, tenants },
      text: `${name} has credentials of ${counted(tenants.length, 'tenant')}${list}`,
    };
  });
}
