import type { A2AError } from '@parley/protocol/model/errors.js';
import { AuthError } from '../../auth/challenge/auth.error.js';
import type { WireCall, WireCodec } from '@parley/protocol/codec/codec.js';
import { codecOf } from '@parley/protocol/versions/codecs.js';
import { NULL_ID, rpcErrorText, type RpcId } from '@parley/protocol/binding/rpc-envelope.js';
import { rpcHttpStatus } from '@parley/protocol/binding/rpc-http-status.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import { requestedVersion } from '@parley/protocol/versions/version.js';
import { PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { faultHeaders, type HeadFaults, HttpFault, type TextAnswer } from '../errors.js';

/** The paths of JSON-RPC: its URL, and the second one of 0.1 for streams. */
export const RPC_PATHS = ['/', '/subscribe'];

/** The parts of a call that format its faults. */
export interface NamedCall {
  readonly codec: WireCodec;
  readonly id: RpcId;
  readonly wire?: WireCall | undefined;
}

/** A fault in the dialect of a call, with its id. */
export function rpcFault(error: A2AError, { codec, id, wire }: NamedCall): TextAnswer {
  return {
    status: statusOf(error),
    headers: { ...PLAIN_JSON_HEADERS, ...faultHeaders(error) },
    text: rpcErrorText(id, codec.encodeError(error, wire)),
  };
}

/** Faults of calls of which only the head was read: their ids are unknown (TRAP-68). */
export const RPC_HEAD_FAULTS: HeadFaults = {
  takes: ({ method, path }) => method === 'POST' && RPC_PATHS.includes(path),
  answer: (error, { path, version }) => {
    const stated = path === '/subscribe' ? '0.1' : requestedVersion({ header: version });
    const codec = stated === undefined || stated === 'unknown' ? undefined : codecOf(stated);
    return rpcFault(error, { codec: codec ?? codecV1, id: NULL_ID });
  },
};

/** The HTTP status of an answer with a fault; unreadable credentials are 400 (RFC 6750 §3.1). */
function statusOf(error: A2AError): number {
  if (error instanceof HttpFault) return error.httpStatus;
  return error instanceof AuthError && error.kind === 'InvalidRequest' ? 400 : rpcHttpStatus(error.kind);
}
