import { readFileSync, writeFileSync } from 'node:fs';
import { toolSettings } from '../../app.settings.js';
import { loadConfig } from '../../platform/config/load-config.js';
import { packageVersion } from '../../platform/config/package-version.js';
import { GuardedHttp } from '../../remote/directory/guarded-http.js';
import { GuardedClient } from '../../security/egress/guarded-client.js';
import { hidesText, type ToolDefinition } from '../../tool/client/tool-definition.js';
import { ToolError } from '../../tool/client/tool-error.js';
import { CredentialStore } from '../../tool/credential.store.js';
import { EraStore } from '../../tool/era.store.js';
import { type ToolServerSettings, UNPINNED } from '../../tool/server-file.js';
import { ToolConnection } from '../../tool/tool-connection.js';
import { ToolKeys } from '../../tool/tool.keys.js';
import { ToolPeers } from '../../tool/tool-peers.js';
import { OperatorError } from './operator-error.js';
import { type Output, table } from './output.js';
import { withRedis } from './with-service.js';

/** The tools of a server now, and how each stands to the file: `pinned`, `differs`, `no pin`, `not listed`, `gone`. @throws OperatorError */
export async function showTools(name: string, tenant?: string): Promise<Output> {
  const server = serverOf(name);
  const now = await toolsOf(server, tenant);
  const listed = server.tools.map(({ name: tool }) => tool);
  const names = [...new Set([...listed, ...now.keys()])];
  const tools = names.map((tool) => ({
    tool,
    state: stateOf(server, tool, now.get(tool)),
    pin: now.get(tool)?.pin ?? '',
  }));
  return {
    json: { server: name, tools },
    text: table(
      ['tool', 'state', 'pin now'],
      tools.map((one) => Object.values(one)),
    ),
  };
}

/** The pins of listed tools as they are now; with `write` in the file. @throws OperatorError for a tool that hides text from people */
export async function pinTools(
  name: string,
  wished: readonly string[],
  { tenant, write = false }: { readonly tenant?: string; readonly write?: boolean },
): Promise<Output> {
  const server = serverOf(name);
  const now = await toolsOf(server, tenant);
  const names = wished.length > 0 ? wished : server.tools.map(({ name: tool }) => tool);
  const tools = names.map((tool) => pinnable(now.get(tool), tool));
  if (write) writePins(name, tools);
  const shown = tools.map(
    ({ name: tool, description, pin }) => `${tool}\n  ${description.replaceAll('\n', '\n  ')}\n  "pin": "${pin}"`,
  );
  const json = tools.map(({ name: tool, description, inputSchema, outputSchema, pin }) => ({
    tool,
    description,
    inputSchema,
    outputSchema,
    pin,
  }));
  return { json: { server: name, tools: json, written: write }, text: shown.join('\n\n') };
}

function pinnable(tool: ToolDefinition | undefined, name: string): ToolDefinition {
  if (tool === undefined) throw new OperatorError(`The server has no tool ${name}.`);
  if (hidesText(tool))
    throw new OperatorError(`The description of ${name} has characters that people cannot see: it is not pinned.`);
  return tool;
}

function stateOf({ tools }: ToolServerSettings, name: string, now: ToolDefinition | undefined): string {
  const settings = tools.find((tool) => tool.name === name);
  if (settings === undefined) return 'not listed';
  if (now === undefined) return 'gone';
  if (settings.pin === UNPINNED) return 'no pin';
  return settings.pin === now.pin ? 'pinned' : 'differs';
}

function writePins(server: string, tools: readonly ToolDefinition[]): void {
  const file = loadConfig().MCP_SERVERS_FILE ?? '';
  // `readServerFile` has checked its form.
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    { tools: Record<string, Record<string, unknown>> }
  >;
  const listed = content[server]?.tools ?? {};
  for (const { name, pin } of tools) listed[name] = { ...listed[name], pin };
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

function serverOf(name: string): ToolServerSettings {
  const { servers } = toolSettings(loadConfig(), '');
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const known = servers.map((server) => server.name).join(', ') || 'none';
  throw new OperatorError(`MCP_SERVERS_FILE has no server ${name}. It has: ${known}.`);
}

/** Asks the server itself, with a credential of a tenant where it wants one. @throws OperatorError */
export async function toolsOf(
  server: ToolServerSettings,
  tenant: string | undefined,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  const { box, keyPrefix } = toolSettings(loadConfig(), '');
  const isOwn = server.transport.type === 'http' && server.transport.auth.type === 'tenant';
  if (!isOwn) return listed(server, '', undefined);
  if (tenant === undefined || box === undefined)
    throw new OperatorError(
      `${server.name} wants a credential of a tenant: name it with --tenant, and set SECRET_KEYS.`,
    );
  return withRedis((redis) => listed(server, tenant, new CredentialStore(redis, new ToolKeys(keyPrefix), box)));
}

async function listed(
  server: ToolServerSettings,
  tenant: string,
  credentials: CredentialStore | undefined,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  const { allow } = toolSettings(loadConfig(), '');
  const egress = new GuardedClient({ ports: [443], allowHttp: false, allow });
  const client = { name: 'parley', version: packageVersion() };
  const peers = new ToolPeers({ http: new GuardedHttp(egress), client, eras: forgetful(), credentials });
  const connection = new ToolConnection(() => peers.open(server, tenant));
  try {
    return await connection.tools();
  } catch (error) {
    if (error instanceof ToolError) throw new OperatorError(`${server.name}: ${error.message}.`, { cause: error });
    throw error;
  } finally {
    await connection.close();
    await egress.close();
  }
}

/** An operator looks at the server as it is now. */
function forgetful(): EraStore {
  return new EraStore({ get: () => Promise.resolve(null), set: () => Promise.resolve() }, new ToolKeys(''));
}
