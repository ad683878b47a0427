import type { JsonObject } from '../model/json.js';
import { argumentHeaders } from './argument-headers.js';
import { McpFault, MCP_CODES } from './mcp-fault.js';

/** Where the params of a method have the name that `Mcp-Name` repeats (SEP-2243, SEP-2663). */
const NAME_MEMBER: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** The headers that repeat the body, as they came. */
export interface RoutingHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** The part of a request that the headers repeat. */
export interface RoutedRequest {
  readonly version: string;
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Compares the headers of the stateless revision with the body (MCP-AUTH-5): a proxy routes by them, so one that differs
 * would be routed as something else than it is. @throws McpFault HeaderMismatch
 */
export function checkVersionHeader({ version }: RoutingHeaders, stated: string): void {
  if (version?.trim() !== stated) throw mismatch('MCP-Protocol-Version');
}

/** The same for method and name. @throws McpFault HeaderMismatch */
export function checkRouting(headers: RoutingHeaders, { method, params }: Omit<RoutedRequest, 'version'>): void {
  if (plain(headers.method) !== method) throw mismatch('Mcp-Method');
  const member = NAME_MEMBER[method];
  const named = member === undefined ? undefined : params[member];
  if (typeof named === 'string' && plain(headers.name) !== named) throw mismatch('Mcp-Name');
}

/**
 * The same for the arguments that a tool's schema wants repeated (MCP-AUTH-5). A schema that asks wrongly asks for nothing.
 * @throws McpFault HeaderMismatch
 */
export function checkArguments(
  schema: JsonObject,
  args: JsonObject,
  header: (name: string) => string | undefined,
): void {
  for (const [name, value] of argumentHeaders(schema, args) ?? []) {
    if (plain(header(name)) !== value) throw mismatch(name);
  }
}

/** The value of a header: without the white space around it, and decoded where it is written as base64. */
function plain(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  const encoded = trimmed === undefined ? undefined : ENCODED.exec(trimmed)?.[1];
  return encoded === undefined ? trimmed : Buffer.from(encoded, 'base64').toString('utf8');
}

function mismatch(header: string): McpFault {
  return new McpFault(
    'InvalidRequest',
    `The header ${header} is missing or differs from the body`,
    MCP_CODES.headerMismatch,
    { status: 400 },
  );
}
