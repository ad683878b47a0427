import { readFileSync, writeFileSync } from 'node:fs';
import { toolSettings } from '../../../main/app.settings.js';
import { loadConfig } from '../../../main/app.environment.js';
import { printableLine } from '@parley/protocol/json/printable.js';
import { schemaFaultLines } from '@parley/sdk/skill/schema/schema-fault.js';
import type { ToolDefinition } from '../../../mcp-tools/client/tool-definition.js';
import type { ToolServerSettings } from '../../../mcp-tools/settings/server-file.js';
import { hidesText } from '@parley/protocol/json/hidden-text.js';
import { OperatorError } from '../operator-error.js';
import { type Output, table } from '../output.js';
import { stateOf, toolsOf } from './tools-now.js';

/**
 * The present tools of a server, compared with the file: `pinned`, `differs`, `no pin`, `not listed`, `gone`. @throws
 * OperatorError
 */
export async function showTools(name: string, tenant?: string): Promise<Output> {
  const server = serverOf(name);
  const now = await toolsOf(server, toolSettings(loadConfig(), ''), tenant);
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

/**
 * The present pins of listed tools; `write` stores them in the file. @throws OperatorError for a tool with invisible
 * text
 */
export async function pinTools(
  name: string,
  wished: readonly string[],
  { tenant, write = false }: { readonly tenant?: string; readonly write?: boolean },
): Promise<Output> {
  const server = serverOf(name);
  const now = await toolsOf(server, toolSettings(loadConfig(), ''), tenant);
  const names = wished.length > 0 ? wished : server.tools.map(({ name: tool }) => tool);
  const tools = names.map((tool) => pinnable(now.get(tool), tool));
  if (write) writePins(name, tools);
  const shown = tools.map(({ name: tool, description, pin, inputSchema: input, outputSchema: output }) =>
    [
      printableLine(tool),
      description.replaceAll('\n', '\n  '),
      `"pin": "${pin}"`,
      ...schemaFaultLines({ input, output }),
    ].join('\n  '),
  );
  const json = tools.map(({ name: tool, description, inputSchema, outputSchema, pin }) => ({
    tool,
    description,
    inputSchema,
    outputSchema,
    pin,
  }));
  const done = write ? ['The pins are in MCP_SERVERS_FILE now.'] : [];
  return { json: { server: name, tools: json, written: write }, text: [...shown, ...done].join('\n\n') };
}

function pinnable(tool: ToolDefinition | undefined, name: string): ToolDefinition {
  if (tool === undefined) throw new OperatorError(`The server has no tool ${name}.`);
  if (hidesText([tool.name, tool.pinned]))
    throw new OperatorError(`The description of ${name} has characters that people cannot see: it is not pinned.`);
  return tool;
}

function writePins(server: string, tools: readonly ToolDefinition[]): void {
  const file = loadConfig().MCP_SERVERS_FILE ?? '';
  // `readServerFile` has validated it.
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    { tools: Record<string, Record<string, unknown>> }
  >;
  const listed = content[server]?.tools ?? {};
  for (const tool of tools) {
    listed[tool.name] = { ...listed[tool.name], pin: tool.pin, definition: tool.pinned };
  }
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

function serverOf(name: string): ToolServerSettings {
  const { servers } = toolSettings(loadConfig(), '');
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const known = servers.map((server) => server.name).join(', ') || 'none';
  throw new OperatorError(`MCP_SERVERS_FILE has no server ${name}. It has: ${known}.`);
}
