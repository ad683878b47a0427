import { fileURLToPath } from 'node:url';
import type { ToolOutcome } from '@parley/sdk/skill/tools/skill-tool.js';
import type { StdioTransport } from '../../../src/mcp-tools/settings/server-file.js';
import { aServer, aTool, ToolBench } from './tool-bench.js';

export const STDIO_SERVER = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url));

const NAMES = ['env', 'files', 'exit', 'hang', 'eat', 'fork', 'shout', 'pid', 'wait'];

/** Its tools, with the process that runs it. */
export function stdioBench(transport: Partial<StdioTransport> = {}, concurrency = 4): ToolBench {
  const tools = NAMES.map((name) =>
    aTool({ name, description: name, inputSchema: { type: 'object' } }, { timeoutMs: 10_000 }),
  );
  const stdio: StdioTransport = {
    ...{ type: 'stdio', command: process.execPath, args: [STDIO_SERVER], cwd: undefined, env: { LANG: 'C' } },
    ...{ memoryMb: 512, processes: 16, idleMs: 60_000, ...transport },
  };
  return new ToolBench([aServer({ url: '' }, { transport: stdio, tools, concurrency })]);
}

/** The text of a result; of any other outcome all of it. */
export function textOf(outcome: ToolOutcome): string {
  return outcome.kind === 'result' ? outcome.result.text : JSON.stringify(outcome);
}
