import { otherSkills } from '../../../main/app.others.js';
import { unjudgedSkills } from '../../../main/other-skills.js';
import { toolSettings } from '../../../main/app.settings.js';
import { ConfigError } from '../../../platform/config/config-error.js';
import type { Environment } from '../../../main/app.environment.js';
import { schemaFaultLines } from '@parley/sdk/skill/schema/schema-fault.js';
import type { ToolDefinition } from '../../../mcp-tools/client/tool-definition.js';
import { type ToolServerSettings, UNPINNED } from '../../../mcp-tools/settings/server-file.js';
import type { ToolModuleOptions } from '../../../mcp-tools/tool.module.js';
import { OperatorError } from '../operator-error.js';
import { isOfTenants, stateOf, toolsOf } from '../tool-servers/tools-now.js';
import { type Finding, fine } from '../../../main/finding.js';

const CHECK = 'tool servers';

/**
 * Reads MCP_SERVERS_FILE like the start, and lists the tools of each server: checks that it is reachable with its
 * credential, and that its tools match their pins. Also checks tools and agents exposed as skills.
 */
export async function checkToolServers(environment: Environment): Promise<readonly Finding[]> {
  try {
    const settings = toolSettings(environment, '');
    const asked = await Promise.all(settings.servers.map((server) => checkServer(server, settings)));
    const shown = unjudgedSkills(otherSkills(environment));
    return [...asked.flat(), ...shown.flatMap(({ skill, reasons }) => unjudged(`The skill ${skill}`, reasons))];
  } catch (error) {
    return faultsOf(error, 'docs/tools.md');
  }
}

function unjudged(subject: string, reasons: readonly string[]): readonly Finding[] {
  const fix = 'Tell the people who run that service';
  return reasons.map((reason) => ({ check: CHECK, severity: 'warn', text: `${subject}: ${reason}`, fix }));
}

async function checkServer(server: ToolServerSettings, settings: ToolModuleOptions): Promise<readonly Finding[]> {
  const { name } = server;
  const known = [listed(server), ...unpinned(server)];
  if (isOfTenants(server)) {
    const text = `${name}: not asked, since each tenant has its own credential: "parley ops mcp tools ${name} --tenant …"`;
    return [...known, fine(CHECK, text)];
  }
  try {
    const now = await toolsOf(server, settings);
    known.push(...unjudgedTools(server, now));
    const changed = server.tools.filter((tool) => isChanged(stateOf(server, tool.name, now.get(tool.name))));
    if (changed.length === 0) return [...known, fine(CHECK, `${name} answers, and its pinned tools are unchanged`)];
    const text = `${name}: gone, or other than pinned, so never called: ${changed.map((tool) => tool.name).join(', ')}`;
    const fix = `Read them with "parley ops mcp tools ${name}" and "pin", then add --write`;
    return [...known, { check: CHECK, severity: 'warn', text, fix }];
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const fix = 'Start it, correct its address, command or auth in MCP_SERVERS_FILE, or name it in EGRESS_ALLOW';
    return [...known, { check: CHECK, severity: 'warn', text: error.message, fix }];
  }
}

/** Exposed tools are checked by their pinned definition. */
function unjudgedTools(
  { name, tools }: ToolServerSettings,
  now: ReadonlyMap<string, ToolDefinition>,
): readonly Finding[] {
  return tools.flatMap(({ name: tool, exposed }) => {
    const definition = exposed === undefined ? now.get(tool) : undefined;
    if (definition === undefined) return [];
    const { inputSchema: input, outputSchema: output } = definition;
    return unjudged(`${name}: ${tool}`, schemaFaultLines({ input, output }));
  });
}

function isChanged(state: string): boolean {
  return state === 'gone' || state === 'differs';
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

/** A finding per line of a broken file; rethrows any other error. */
function faultsOf(error: unknown, document: string): readonly Finding[] {
  if (!(error instanceof ConfigError)) throw error;
  const lines = error.message.split('\n');
  const fix = `Correct the file: ${document} has its form`;
  return lines.map((text) => ({ check: CHECK, severity: 'fail', text, fix }));
}
