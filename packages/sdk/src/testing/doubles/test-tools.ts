import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillContext } from '../../skill/skill.js';
import { skillTools } from '../../skill/tools/skill-tools.js';
import type { TestTurn } from '../waiting-run.js';
import type { DeclaredTools, ToolOutcome, ToolResult, ToolServers } from '../../skill/tools/skill-tool.js';

/** The result of a tool in a test; members left out are empty. */
export type TestToolResult = Partial<ToolResult>;

/** Tools by `server/tool`: a result, or a function of the arguments. A thrown error fails the call. */
export type TestTools = Readonly<
  Record<string, TestToolResult | ((args: JsonObject) => TestToolResult | Promise<TestToolResult>)>
>;

/** The tools of the run that is under way: the calls of each run are counted anew. */
export function toolsIn(
  test: TestTurn,
  { taskId, idempotencyKey, principal, signal, step, ask, call }: SkillContext,
  tools: TestTools = {},
): SkillContext['tools'] {
  const known = test.toolsOfRun;
  if (known?.run === test.run) return known.tools;
  const { declared, servers } = testTools(tools);
  const run = { taskId, idempotencyKey, tenant: principal.tenant, signal: () => signal, step, ask, call };
  const made = skillTools({ ...run, declared, servers });
  test.toolsOfRun = { run: test.run, tools: made };
  return made;
}

/** The tools of a test as servers. */
function testTools(tools: TestTools): { readonly declared: DeclaredTools; readonly servers: ToolServers } {
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
