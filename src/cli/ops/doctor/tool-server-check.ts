import type { Environment } from '../../../platform/config/environment.js';
import { toolSettings } from '../../../app.settings.js';
import { ConfigError } from '../../../platform/config/config-error.js';
import { type ToolServerSettings, UNPINNED } from '../../../tool/server-file.js';
import { type Finding, fine } from './finding.js';

const CHECK = 'tool servers';

/** Reads MCP_SERVERS_FILE as the service does at its start, and lists its servers; none is asked. */
export function checkToolServers(environment: Environment): readonly Finding[] {
  try {
    const { servers } = toolSettings(environment, '');
    return servers.flatMap((server) => [listed(server), ...unpinned(server)]);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split('\n');
    return lines.map((text) => ({
      check: CHECK,
      severity: 'fail',
      text,
      fix: 'Correct the file: docs/tools.md has its form',
    }));
  }
}

function listed({ name, transport, tools }: ToolServerSettings): Finding {
  const where = transport.type === 'http' ? new URL(transport.url).origin : transport.command;
  return fine(CHECK, `${name} (${where}): ${tools.map((tool) => tool.name).join(', ') || 'no tools'}`);
}

function unpinned({ name, tools }: ToolServerSettings): readonly Finding[] {
  const without = tools.filter(({ pin }) => pin === UNPINNED).map((tool) => tool.name);
  if (without.length === 0) return [];
  const text = `${name}: without a pin, so never called: ${without.join(', ')}`;
  return [
    { check: CHECK, severity: 'warn', text, fix: `Read them with "parley ops mcp pin ${name}", then add --write` },
  ];
}
