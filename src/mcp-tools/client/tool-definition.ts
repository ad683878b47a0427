import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { argumentHeaders } from '@parley/protocol/mcp/argument-headers.js';
import { badAnswer } from './tool-error.js';

/** A tool as described by its server. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string | undefined;
  /** The description for a model. */
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  /** The unchanged members that the pin covers besides the name. */
  readonly pinned: JsonObject;
  /** SHA-256 of everything that describes the tool and its input. */
  readonly pin: string;
}

/** One page of `tools/list`. */
export interface ToolPage {
  readonly tools: readonly ToolDefinition[];
  readonly next: string | undefined;
  /** Cache lifetime, ms; absent in a session. */
  readonly ttlMs: number | undefined;
}

/** Tools read per server. */
export const MAX_TOOLS = 1000;

/** @throws ToolError invalid-answer */
export function readToolPage({ tools, nextCursor, ttlMs }: JsonObject): ToolPage {
  if (!Array.isArray(tools)) throw badAnswer('The list of tools is none');
  return {
    tools: tools.slice(0, MAX_TOOLS).flatMap((tool: unknown) => definitionOf(tool) ?? []),
    next: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
    ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : undefined,
  };
}

/** A tool from a list or the operator's file; undefined for an invalid one. */
export function definitionOf(tool: unknown): ToolDefinition | undefined {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || !isJsonObject(tool.inputSchema)) return undefined;
  const { name, title, description, inputSchema, outputSchema } = tool;
  return {
    ...{ name, inputSchema, pin: pinOf(tool), pinned: pinnedOf(tool) },
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : '',
    outputSchema: isJsonObject(outputSchema) ? outputSchema : undefined,
  };
}

/**
 * The pin of a tool: `sha256-` and the digest of its name, texts, schemas and annotations as canonical JSON (RFC 8785).
 * Icons and `_meta` may change.
 */
export function pinOf(tool: JsonObject): string {
  const text = canonicalize({ name: tool.name, ...pinnedOf(tool) }) ?? '';
  return `sha256-${createHash('sha256').update(text).digest('base64url')}`;
}

function pinnedOf({ title, description, inputSchema, outputSchema, annotations }: JsonObject): JsonObject {
  const members = { title, description, inputSchema, outputSchema, annotations };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/**
 * The headers of a call that repeat its arguments, encoded. @throws ToolError for a schema with invalid header requests
 */
export function headersOfCall(
  { inputSchema, name }: ToolDefinition,
  args: JsonObject,
  text: (value: string) => string,
): Readonly<Record<string, string>> {
  const headers = argumentHeaders(inputSchema, args);
  if (headers === undefined) throw badAnswer(`The tool ${name} names a header wrongly`);
  return Object.fromEntries([...headers].flatMap(([key, value]) => (value === undefined ? [] : [[key, text(value)]])));
}
