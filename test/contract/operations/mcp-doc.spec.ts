import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/main/app.environment.js';
import { DIRECTORY_TOOLS } from '../../../src/endpoints/mcp/tool/directory-tools.js';
import { TASK_TOOLS } from '../../../src/endpoints/mcp/tool/task-tools.js';

const text = readFileSync('docs/mcp.md', 'utf8');
const blocks = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => JSON.parse(block) as Hosts);

interface Server {
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}
interface Hosts {
  readonly servers?: Readonly<Record<string, Server>>;
  readonly mcpServers?: Readonly<Record<string, Server>>;
}

describe('docs/mcp.md', () => {
  it('has a block for each host, with the address of the endpoint and a key', () => {
    expect(blocks).toHaveLength(3);
    for (const { servers, mcpServers } of blocks) {
      const server = { ...servers, ...mcpServers }.parley;
      expect(server?.url ?? server?.args?.find((word) => word.startsWith('https:'))).toBe('https://agent.example/mcp');
      expect(JSON.stringify(server)).toContain('X-API-Key');
    }
    expect(text).toMatch(/claude mcp add --transport http parley "\$URL\/mcp"/);
  });

  it('names variables and tools that exist', () => {
    const known = Object.keys(loadConfig({}));
    const optional = ['MCP_SERVERS_FILE', 'PUBLIC_URL', 'SECRET_KEYS'];
    const named = new Set(
      [...text.matchAll(/`(MCP(?:_[A-Z]+)*|PUBLIC_URL|SECRET_KEYS)\b/g)].map(([, name = '']) => name),
    );
    expect([...named].filter((name) => !known.includes(name) && !optional.includes(name))).toEqual([]);
    const tools = new Set([...text.matchAll(/parley_task_\w+/g)].map(([name]) => name));
    expect([...tools].sort()).toEqual(TASK_TOOLS.map(({ name }) => name).sort());
    const ofDirectory = new Set([...text.matchAll(/parley_skill_\w+/g)].map(([name]) => name));
    expect([...ofDirectory].sort()).toEqual(DIRECTORY_TOOLS.map(({ name }) => name).sort());
  });
});
