import { runFaultOf } from '../../intent/run-answer.js';
import { AuthError } from '../../security/auth/challenge/auth.error.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { codecOf } from '@parley/protocol/versions/codecs.js';
import { mcpErrorOf } from '@parley/protocol/mcp/mcp-fault.js';
import { mcpErrorText } from '@parley/protocol/mcp/mcp-message.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import { NULL_ID, rpcErrorText } from '@parley/protocol/binding/rpc-envelope.js';
import { rpcHttpStatus } from '@parley/protocol/binding/rpc-http-status.js';
import { restErrorV03 } from '@parley/protocol/v0_3/rest/codec.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import { restErrorV1 } from '@parley/protocol/v1_0/rest-errors.js';
import { requestedVersion } from '@parley/protocol/versions/version.js';
import { HttpFault } from './http-fault.js';
import { a2aJsonHeaders, PLAIN_JSON_HEADERS } from './answer/media-types.js';

/** The paths of JSON-RPC: its URL, and the second one of 0.1 for streams. */
export const RPC_PATHS = ['/', '/subscribe'];

/** The path of MCP, where it is served. */
export const MCP_PATH = '/mcp';

/** The path of intents over plain HTTP. */
export const RUN_PATH = '/run';

/** Below it is the registry, where it is served. */
const REGISTRY = '/registry/';

/** How a refused caller asked, as far as it decides in what shape the refusal is written. */
export interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The `A2A-Version` and `Accept` headers. */
  readonly version?: string | undefined;
  readonly accept?: string | undefined;
}

export interface FaultAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The refusal of a call that no binding has answered: in the protocol that its caller speaks, by method and path. */
export function faultAnswer(error: A2AError, asked: Asked): FaultAnswer {
  if (asked.method === 'POST' && RPC_PATHS.includes(asked.path)) return rpcFault(error, asked);
  if (asked.path === MCP_PATH) return mcpFault(error);
  const status = error instanceof HttpFault ? error.httpStatus : REST_HTTP_STATUS[error.kind];
  if (asked.method === 'POST' && asked.path === RUN_PATH) {
    return { status, headers: PLAIN_JSON_HEADERS, text: runFaultOf(error, undefined, status).text };
  }
  if (asked.path.startsWith(REGISTRY)) {
    return { status, headers: PLAIN_JSON_HEADERS, text: JSON.stringify(registryFault(error, status)) };
  }
  if (/^\/v1(\/|$)/.test(asked.path)) {
    return { status, headers: PLAIN_JSON_HEADERS, text: JSON.stringify(restErrorV03(error)) };
  }
  const text = JSON.stringify(restErrorV1(error, status));
  return { status, headers: a2aJsonHeaders(asked.accept), text };
}

/** A fault in the form of ARD 0.91, with the details of HTTP+JSON. */
function registryFault(fault: A2AError, httpStatus: number) {
  const { status, message, details } = restErrorV1(fault, httpStatus).error;
  return { errorCode: httpStatus === 409 ? 'CONFLICT' : status, message, details };
}

/** Nothing of the body has been read, so the id is not known (TRAP-68). */
function rpcFault(error: A2AError, { path, version }: Asked): FaultAnswer {
  const stated = path === '/subscribe' ? '0.1' : requestedVersion({ header: version });
  const codec = stated === undefined || stated === 'unknown' ? undefined : codecOf(stated);
  return {
    status: rpcStatusOf(error),
    headers: PLAIN_JSON_HEADERS,
    text: rpcErrorText(NULL_ID, (codec ?? codecV1).encodeError(error)),
  };
}

function mcpFault(fault: A2AError): FaultAnswer {
  const { status, error } = mcpErrorOf(fault);
  const isHttp = fault instanceof HttpFault;
  const text = mcpErrorText(undefined, error);
  return { status: isHttp ? fault.httpStatus : status, headers: PLAIN_JSON_HEADERS, text };
}

/** The HTTP status of a JSON-RPC answer with this fault; credentials that cannot be read are 400 (RFC 6750 §3.1). */
function rpcStatusOf(error: A2AError): number {
  if (error instanceof HttpFault) return error.httpStatus;
  return error instanceof AuthError && error.kind === 'InvalidRequest' ? 400 : rpcHttpStatus(error.kind);
}
