import type { JsonObject } from '@parley/protocol/model/json.js';
import type { DeclaredTools, ToolOutcome, ToolResult, ToolServers } from '../../skill/tools/skill-tool.js';

/** The result of a tool in a test; members left out are empty. */
export type TestToolResult = Partial<ToolResult>;

/** Tools by `server/tool`: a result, or a function of the arguments. A thrown error fails the call. */
export type TestTools = Readonly<
  Record<string, TestToolResult | ((args: JsonObject) => TestToolResult | Promise<TestToolResult>)>
>;

/** The tools of a test as servers. */
export function testTools(tools: TestTools): { readonly declared: DeclaredTools; readonly servers: ToolServers } {
  const declared: Record<string, string[]> = {};
  for (const name of Object.keys(tools)) {
    const slash = name.indexOf('/');
    (declared[name.slice(0, slash)] ??= []).push(name.slice(slash + 1));
  }
  const servers: ToolServers = {
    find: () => ({ pin: '', isRepeatable: true, onUnknown: 'fail', isLong: false }),
    invoke: async ({ server, tool, args }) => outcomeOf(tools[`${server}/${tool}`] ?? {}, args),
  };
  return { declared, servers };
}

async function outcomeOf(tool: TestTools[string], args: JsonObject): Promise<ToolOutcome> {
  const result = typeof tool === 'function' ? await tool(args) : tool;
  return { kind: 'result', result: { text: '', parts: [], isError: false, ...result } };
}
