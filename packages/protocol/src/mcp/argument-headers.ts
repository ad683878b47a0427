import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../json/json-value.js';

/** Types of arguments that a header can repeat: each is written in one way. */
const HEADER_TYPES: readonly unknown[] = ['string', 'integer', 'boolean', undefined];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

/**
 * Headers that repeat arguments of a call, as the tool's schema asks for them by `x-mcp-header` (SEP-2243): each with its
 * value before it is encoded, undefined where the argument is not given. Undefined for a schema that asks wrongly.
 */
export function argumentHeaders(
  { properties }: JsonObject,
  args: JsonObject,
): ReadonlyMap<string, string | undefined> | undefined {
  const headers = new Map<string, string | undefined>();
  for (const [member, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
    if (!isJsonObject(schema) || schema['x-mcp-header'] === undefined) continue;
    const key = headerKey(schema);
    if (key === undefined || headers.has(key)) return undefined;
    const value = Object.hasOwn(args, member) ? args[member] : undefined;
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    headers.set(key, isText ? String(value) : undefined);
  }
  return headers;
}

function headerKey({ type, 'x-mcp-header': header }: JsonObject): string | undefined {
  const isHeader = typeof header === 'string' && HEADER_NAME.test(header) && HEADER_TYPES.includes(type);
  return isHeader ? `mcp-param-${header.toLowerCase()}` : undefined;
}
