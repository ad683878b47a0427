import type { JsonObject } from '@parley/protocol/model/json.js';
import type { PeerCall } from '../client/peer.js';
import { MAX_TOOLS, readToolPage, type ToolDefinition } from '../client/tool-definition.js';
import { badAnswer } from '../client/tool-error.js';

const MAX_PAGES = 50;
const LIST_MS = 15_000;
/** Cache lifetime of a list, ms: the server's value within these bounds. */
const FRESH = { usual: 60_000, least: 1000, most: 300_000 };

/** The tools of a server and their expiry. */
export interface ListedTools {
  readonly byName: ReadonlyMap<string, ToolDefinition>;
  readonly freshUntil: number;
}

/**
 * Reads all pages of `tools/list`. A repeated name is a broken list: the called tool would be ambiguous. @throws
 * ToolError
 */
export async function listTools(
  request: (call: PeerCall) => Promise<JsonObject>,
  now: () => number,
): Promise<ListedTools> {
  const byName = new Map<string, ToolDefinition>();
  let [cursor, freshMs]: [string | undefined, number] = [undefined, FRESH.most];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const {
      tools,
      next,
      ttlMs = FRESH.usual,
    } = readToolPage(await request({ method: 'tools/list', params, timeoutMs: LIST_MS }));
    freshMs = Math.min(freshMs, Math.max(ttlMs, FRESH.least));
    for (const tool of tools) {
      if (byName.has(tool.name)) throw badAnswer(`The server has two tools with the name ${tool.name.slice(0, 128)}`);
      byName.set(tool.name, tool);
    }
    if (byName.size > MAX_TOOLS) break;
    if (next === undefined) return { byName, freshUntil: now() + freshMs };
    cursor = next;
  }
  throw badAnswer(`The server has more than ${String(MAX_TOOLS)} tools, or its list does not end`);
}
