import { A2AError, type A2AErrorName } from '../model/errors.js';
import type { JsonObject } from '../model/json.js';
import { REST_HTTP_STATUS } from '../binding/rest-http-status.js';

/** Error codes of JSON-RPC 2.0, and those that MCP 2026-07-28 reserves. */
export const MCP_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Thrown where MCP has its own code, HTTP status and data for a fault; otherwise throw an `A2AError`. */
export class McpFault extends A2AError {
  constructor(
    kind: A2AErrorName,
    message: string,
    readonly code: number,
    readonly answered: { readonly status: number; readonly data?: JsonObject } = { status: 200 },
  ) {
    super(kind, message);
  }
}

/** Params that the caller can correct, of a request whose tool or task was found out. HTTP stays 200. */
export function badParams(message: string, data?: JsonObject): McpFault {
  return new McpFault('InvalidParams', message, MCP_CODES.invalidParams, {
    status: 200,
    ...(data === undefined ? {} : { data }),
  });
}

/** A request whose `_meta` or envelope does not fit the revision. */
export function badRequest(message: string, code: number = MCP_CODES.invalidRequest): McpFault {
  return new McpFault(code === MCP_CODES.invalidParams ? 'InvalidParams' : 'InvalidRequest', message, code, {
    status: 400,
  });
}

/** A method that is not served; the stateless revision says so by HTTP too. */
export function unknownMethod(isModern: boolean): McpFault {
  return new McpFault('MethodNotFound', 'Method not found', MCP_CODES.methodNotFound, {
    status: isModern ? 404 : 200,
  });
}

/** The request needs a capability that its client has not declared. */
export function missingCapability(requiredCapabilities: JsonObject): McpFault {
  const names = Object.keys(requiredCapabilities).join(', ');
  return new McpFault(
    'ExtensionSupportRequired',
    `The call needs a client with this capability: ${names}`,
    MCP_CODES.missingCapability,
    { status: 400, data: { requiredCapabilities } },
  );
}

/** The same answer for a task that is missing, removed or another caller's. */
export function taskUnknown(): McpFault {
  return badParams('Task not found');
}

/** An error as JSON-RPC has it, and the HTTP status of its answer. */
export interface McpErrorAnswer {
  readonly status: number;
  readonly error: { readonly code: number; readonly message: string; readonly data?: JsonObject };
}

/** Faults that HTTP itself must say to proxies and client libraries. */
const BY_HTTP: readonly A2AErrorName[] = [
  'Unauthenticated',
  'PermissionDenied',
  'RequestTooLarge',
  'RateLimited',
  'Unavailable',
];

/** Any fault as MCP has it. Codes of HTTP faults are their status: the range of JSON-RPC belongs to the specification. */
export function mcpErrorOf(fault: A2AError): McpErrorAnswer {
  const { kind, message } = fault;
  if (fault instanceof McpFault) {
    const { status, data } = fault.answered;
    return { status, error: { code: fault.code, message, ...(data === undefined ? {} : { data }) } };
  }
  const status = REST_HTTP_STATUS[kind];
  if (BY_HTTP.includes(kind)) return { status, error: { code: status, message } };
  if (kind === 'ParseError') return { status: 400, error: { code: MCP_CODES.parse, message } };
  if (kind === 'InvalidRequest') return { status: 400, error: { code: MCP_CODES.invalidRequest, message } };
  if (kind === 'InternalError' || kind === 'InvalidAgentResponse') {
    return { status: 200, error: { code: MCP_CODES.internal, message } };
  }
  if (kind === 'MethodNotFound') return { status: 404, error: { code: MCP_CODES.methodNotFound, message } };
  return { status: 200, error: { code: MCP_CODES.invalidParams, message } };
}
