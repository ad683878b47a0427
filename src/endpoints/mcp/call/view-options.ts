import type { TaskViewOptions } from '@parley/protocol/mcp/task-view.js';
import type { McpOptions } from './mcp.options.js';

/** Milliseconds between two polls of a client: more often than twice that rate would spend its read rate. */
const POLL_MS = 1_000;

/** How tasks are shown. A task is kept this long after its end, so surely from its creation on. */
export function viewOptions({ keepMs }: McpOptions): TaskViewOptions {
  return { ttlMs: Math.max(1, keepMs), pollIntervalMs: POLL_MS };
}
