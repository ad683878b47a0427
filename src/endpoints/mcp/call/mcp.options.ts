import type { McpEras } from '@parley/protocol/mcp/revision.js';

/** Settings of the MCP endpoint. */
export interface McpOptions {
  readonly eras: McpEras;
  /** Milliseconds after which a call becomes a task handle, for a client that accepts those. */
  readonly taskAfterMs: number;
  /** Milliseconds for which the call of another client is held. */
  readonly waitMs: number;
  /** Whether hosts without the tasks extension get tools to read, answer and cancel tasks. */
  readonly taskTools: boolean;
  /** Skills exposed to a caller as tools of their own; more are replaced by a directory. */
  readonly mostTools: number;
  /** Retention of an ended task, in milliseconds. */
  readonly keepMs: number;
  /** Name and version of the service in answers. */
  readonly server: { readonly name: string; readonly version: string };
}

/** Injection token of the options. */
export const McpOptions = Symbol('McpOptions');
