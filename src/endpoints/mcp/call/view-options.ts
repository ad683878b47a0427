import type { TaskViewOptions } from '@parley/protocol/mcp/task-view.js';
import type { McpOptions } from './mcp.options.js';

/** Pause between two polls of a client, ms: twice the rate would exhaust its read rate. */
const POLL_MS = 1_000;

/** View options of tasks. A task is stored this long after its end, so at least as long after its creation. */
export function viewOptions({ keepMs }: McpOptions): TaskViewOptions {
  return { ttlMs: Math.max(1, keepMs), pollIntervalMs: POLL_MS };
}
