import { ConfigError } from '../../platform/config/config-error.js';
import type { ResourceOptions } from '../../auth/protected-resource.js';
import { SCOPE_OF } from '../../auth/scopes.js';
import { SecretBox } from '../../secrets/secret-box.js';
import { defineFeature, type FeatureParts, type FeatureStart } from '../../http/binding/feature.js';
import { foreignOrigins } from '../../http/request/page-origins.js';
import type { McpOptions } from './call/mcp.options.js';
import { MCP_HEAD_FAULTS, MCP_PATH } from './mcp-faults.js';
import { McpModule } from './mcp.module.js';
import { McpSettings } from './mcp.settings.js';
import type { ResourceSource } from './resource/resource-source.js';

/** Skills exposed as tools of their own: models choose badly among more. */
const MAX_TOOLS = 50;

const CORS_LISTS = {
  methods: 'GET, POST, DELETE, OPTIONS',
  headers:
    'Authorization, Content-Type, Accept, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-API-Key',
  exposed: 'WWW-Authenticate, Mcp-Session-Id',
};

/** MCP at `/mcp`, where every skill is a tool. */
export const mcpFeature = defineFeature({
  name: 'mcp',
  title: 'MCP endpoint',
  settings: McpSettings,
  faults: MCP_HEAD_FAULTS,
  isOn: ({ settings }) => settings.MCP,
  /** @throws ConfigError when processes have no common keys: any of them must open texts sealed by another */
  module: (
    start: FeatureStart<McpSettings>,
    { binding, given }: FeatureParts<{ readonly resources?: ResourceSource }>,
  ) => {
    if (binding === undefined) return undefined;
    const options = optionsOf(start);
    const ring = start.keys();
    if (ring === undefined) throw new ConfigError('MCP=true needs SECRET_KEYS, the same for all processes: set them.');
    return McpModule.forRoot({ options, sealer: new SecretBox(ring), resources: given?.resources }, binding);
  },
  onRequest: (start) =>
    foreignOrigins(start, {
      ...CORS_LISTS,
      setting: 'mcp.allowedOrigins',
      allowed: start.settings.allowedOrigins,
      takes: (path) => path === MCP_PATH,
    }),
  resource: resourceOf,
});

function optionsOf(start: FeatureStart<McpSettings>): McpOptions {
  const { settings, keepMs, version } = start;
  const { eras, taskAfterMs, waitMs, taskTools } = settings;
  return {
    ...{ eras, taskAfterMs, waitMs, taskTools, mostTools: MAX_TOOLS },
    keepMs,
    server: { name: 'parley', version },
  };
}

/** A resource of its own: clients compare its identifier with the configured URL. */
function resourceOf({ settings, publicUrl, addresses }: FeatureStart<McpSettings>): ResourceOptions {
  const resource = `${publicUrl}${MCP_PATH}`;
  const others = addresses.slice(1).map(({ url }) => `${url}${MCP_PATH}`);
  return {
    path: MCP_PATH,
    resource,
    audiences: settings.audience === undefined ? [resource, ...others] : [settings.audience],
    takesServiceTokens: settings.acceptServiceAudience,
    scopes: [SCOPE_OF.SendMessage, SCOPE_OF.GetTask, SCOPE_OF.CancelTask],
  };
}
