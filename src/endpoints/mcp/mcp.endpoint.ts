import { ConfigError } from '../../platform/config/config-error.js';
import type { DoorOptions } from '../../auth/door.js';
import { isLoopbackHost } from '../../auth/incoming/loopback.js';
import { isOrigin, listOf } from '../../auth/incoming/origins.js';
import { SCOPE_OF } from '../../auth/scopes.js';
import { SecretBox } from '../../secrets/secret-box.js';
import { defineEndpoint, type EndpointParts, type EndpointStart } from '../../http/binding/endpoint.js';
import type { McpOptions } from './call/mcp.options.js';
import { refuseForeignOrigins } from './foreign-origins.js';
import { MCP_HEAD_FAULTS, MCP_PATH } from './mcp-faults.js';
import { McpModule } from './mcp.module.js';
import { McpSettings } from './mcp.settings.js';
import type { ResourceSource } from './resource/resource-source.js';

/** Skills exposed as tools of their own: models choose badly among more. */
const MAX_TOOLS = 50;

/** MCP at `/mcp`, where every skill is a tool. */
export const mcpEndpoint = defineEndpoint({
  name: 'mcp',
  title: 'MCP endpoint',
  settings: McpSettings,
  faults: MCP_HEAD_FAULTS,
  /** @throws ConfigError when processes have no common keys: any of them must open texts sealed by another */
  module: (
    start: EndpointStart<McpSettings>,
    { binding, given }: EndpointParts<{ readonly resources?: ResourceSource }>,
  ) => {
    const options = optionsOf(start);
    if (options === undefined) return undefined;
    const ring = start.keys();
    if (ring === undefined) throw new ConfigError('MCP=true needs SECRET_KEYS, the same for all processes: set them.');
    return McpModule.forRoot({ options, sealer: new SecretBox(ring), resources: given?.resources }, binding);
  },
  onRequest: (start) => {
    const options = optionsOf(start);
    return options === undefined ? undefined : refuseForeignOrigins(options);
  },
  resource: (start) => (start.settings.MCP ? resourceOf(start) : undefined),
});

/** Undefined when the endpoint is disabled. */
function optionsOf(start: EndpointStart<McpSettings>): McpOptions | undefined {
  const { settings, host, publicUrl, isUrlStated, keepMs, version } = start;
  if (!settings.MCP) return undefined;
  const { eras, taskAfterMs, waitMs, taskTools } = settings;
  return {
    ...{ eras, taskAfterMs, waitMs, taskTools, mostTools: MAX_TOOLS },
    allowedOrigins: originsOf(settings.MCP_ALLOWED_ORIGINS),
    isLoopback: isLoopbackHost(host),
    ...(isUrlStated ? { publicHost: new URL(publicUrl).host } : {}),
    keepMs,
    server: { name: 'parley', version },
  };
}

/** A resource of its own: clients compare its identifier with the configured URL. */
function resourceOf({ settings, publicUrl }: EndpointStart<McpSettings>): DoorOptions {
  const resource = `${publicUrl.replace(/\/+$/, '')}${MCP_PATH}`;
  return {
    path: MCP_PATH,
    resource,
    audiences: [settings.audience ?? resource],
    takesServiceTokens: settings.acceptServiceAudience,
    scopes: [SCOPE_OF.SendMessage, SCOPE_OF.GetTask, SCOPE_OF.CancelTask],
  };
}

function originsOf(text: string | undefined): readonly string[] {
  const origins = listOf(text);
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong !== undefined) throw new ConfigError(`MCP_ALLOWED_ORIGINS: ${wrong} is no origin, as https://app.example`);
  return origins;
}
