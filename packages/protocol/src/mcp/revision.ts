/** The stateless revision: every request carries its version and the capabilities of its client. */
export const MODERN_REVISION = '2026-07-28';

/** Revisions with the `initialize` handshake, newest first. */
export const SESSION_REVISIONS = ['2025-11-25', '2025-06-18'] as const;

/** A revision of MCP that is served. */
export type McpRevision = typeof MODERN_REVISION | (typeof SESSION_REVISIONS)[number];

/** Which revisions an endpoint serves. */
export type McpEras = 'both' | 'modern' | 'legacy';

/** The revisions of a setting, newest first. */
export function revisionsOf(eras: McpEras): readonly McpRevision[] {
  const modern: readonly McpRevision[] = eras === 'legacy' ? [] : [MODERN_REVISION];
  return eras === 'modern' ? modern : [...modern, ...SESSION_REVISIONS];
}

/** The revision that a session speaks: the one asked for, else the newest with sessions. */
export function sessionRevision(asked: unknown): McpRevision {
  return SESSION_REVISIONS.find((revision) => revision === asked) ?? SESSION_REVISIONS[0];
}

/** Members of `_meta` that the protocol itself defines. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Members of `_meta` that are ours. */
export const PARLEY_META = {
  idempotencyKey: 'parley/idempotencyKey',
  contextId: 'parley/contextId',
  taskId: 'parley/taskId',
  /** How many services a call may still pass through. */
  hops: 'parley/hops',
} as const;

/** The extension of long work (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
