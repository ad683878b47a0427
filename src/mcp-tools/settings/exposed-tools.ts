import { ConfigError } from '../../platform/config/config-error.js';
import { objectSchemaOf } from '@parley/sdk/skill/contract/object-schema.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { PinnedTool } from '@parley/sdk/skill/start-check.js';
import { longToolSkill } from '@parley/sdk/skill/tools/skill-tool.js';
import { hidesText } from '@parley/protocol/json/hidden-text.js';
import { definitionOf, type ToolDefinition } from '../client/tool-definition.js';
import type { ExposedTool } from './exposed-tool.js';
import type { ToolServerSettings, ToolSettings } from './server-file.js';

/** The tools of MCP_SERVERS_FILE exposed as skills, by their pins. @throws ConfigError with a line per unusable one */
export function exposedTools(servers: readonly ToolServerSettings[]): readonly SkillOptions[] {
  const faults: string[] = [];
  const skills = servers.flatMap((server) =>
    server.tools.flatMap((tool) => {
      if (tool.exposed === undefined) return [];
      const found = skillOf(server.name, tool, tool.exposed);
      if (typeof found !== 'string') return [found];
      faults.push(`MCP_SERVERS_FILE: ${server.name}: ${tool.name}: ${found}`);
      return [];
    }),
  );
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return skills;
}

/** Tools that answer with a task of their own: skills that only other skills call. */
export function longTools(servers: readonly ToolServerSettings[]): readonly SkillOptions[] {
  return servers.flatMap((server) =>
    server.tools
      .filter(({ isLong }) => isLong)
      .map(({ name }) => ({
        id: longToolSkill(server.name, name),
        name,
        description: `The tool ${name} of ${server.name}`,
        tags: ['tool'],
        reachesOut: true,
      })),
  );
}

/** The options of the skill, or the fault that prevents them. */
function skillOf(server: string, tool: ToolSettings, exposed: ExposedTool): SkillOptions | string {
  const pinned = pinnedDefinition(tool);
  if (pinned === undefined) {
    return `exposeAs needs the pinned definition: "parley ops mcp pin ${server} --write" puts it into the file`;
  }
  if (hidesText([pinned.name, pinned.pinned])) return 'its description has characters that people cannot see';
  const input = objectSchemaOf(pinned.inputSchema);
  if (input === undefined) return 'its input schema is none of an object';
  return { ...described(server, tool, pinned), ...exposedTerms(exposed), input };
}

/** The definition of a tool in the file; undefined where there is none, or not that of the pin. */
function pinnedDefinition({ name, pin, definition }: ToolSettings): ToolDefinition | undefined {
  const pinned = definition && definitionOf({ ...definition, name });
  return pinned?.pin === pin ? pinned : undefined;
}

/** The listed tools, as a model may be offered them: described by their pins. */
export function pinnedTools(servers: readonly ToolServerSettings[]): ReadonlyMap<string, PinnedTool> {
  return new Map(
    servers.flatMap(({ name: server, tools }) =>
      tools.map((tool) => {
        const pinned = pinnedDefinition(tool);
        const isSafe = pinned !== undefined && !hidesText([pinned.name, pinned.pinned]);
        const shown = isSafe ? { description: pinned.description, input: pinned.inputSchema } : { description: '' };
        return [longToolSkill(server, tool.name), shown] as const;
      }),
    ),
  );
}

function described(server: string, tool: ToolSettings, pinned: ToolDefinition): Omit<SkillOptions, 'id' | 'input'> {
  const output = objectSchemaOf(pinned.outputSchema);
  return {
    name: pinned.title ?? pinned.name,
    description: pinned.description === '' ? `The tool ${tool.name} of ${server}` : pinned.description,
    tags: ['tool', server],
    inputModes: ['application/json'],
    outputModes: ['application/json', 'text/plain'],
    tools: { [server]: [tool.name] },
    reachesOut: true,
    aliasOf: longToolSkill(server, tool.name),
    ...(output === undefined ? {} : { output }),
    // From the operator's file, like the journal's setting: hints of the server are ignored.
    ...(tool.effects === 'none' ? { effects: 'none' as const } : {}),
  };
}

function exposedTerms({ id, scopes }: ExposedTool): Pick<SkillOptions, 'id' | 'scopes'> {
  return { id, ...(scopes.length === 0 ? {} : { scopes }) };
}
