import type { Environment } from './app.environment.js';
import { readAll } from '../platform/config/config-error.js';
import { processVariables } from '../platform/config/variables/process-variables.js';
import { readAgentsFile, type RemoteAgent } from '../remote-agents/directory/agent-file.js';
import { exposedSkills, remoteSkills } from '../remote-agents/directory/exposed-skills.js';
import type { OtherSkills } from '../skill/skill-catalog.js';
import { longToolSkill } from '@parley/sdk/skill/tools/skill-tool.js';
import { exposedTools, longTools, pinnedTools } from '../mcp-tools/settings/exposed-tools.js';
import { readServerFile, type ToolServerSettings } from '../mcp-tools/settings/server-file.js';

/** The agents of AGENTS_FILE; none without the file. @throws ConfigError with a line per fault */
export function remoteAgents({ AGENTS_FILE: file }: Environment): readonly RemoteAgent[] {
  return file === undefined ? [] : readAgentsFile(file, processVariables());
}

/** The tool servers of MCP_SERVERS_FILE; none without the file. @throws ConfigError with a line per fault */
export function toolServers({ MCP_SERVERS_FILE: file }: Environment): readonly ToolServerSettings[] {
  return file === undefined ? [] : readServerFile(file, processVariables());
}

/** Tools and agents of other services; none by default. @throws ConfigError with a line per fault */
export function otherSkills(environment: Environment): OtherSkills {
  const [servers, agents] = readAll(
    () => toolServers(environment),
    () => remoteAgents(environment),
  );
  const listed = pinnedTools(servers);
  return {
    shown: [...exposedTools(servers), ...exposedSkills(agents)],
    inside: [...longTools(servers), ...remoteSkills(agents)],
    findTool: (server, tool) => listed.get(longToolSkill(server, tool)),
  };
}
