import type { Metadata } from '@grpc/grpc-js';
import { LOCAL_PRINCIPAL, ownerOf } from '../auth/principal.js';
import type { Call } from '../operation/call.js';
import type { RestVersion } from '../wire/rest-dialect.js';

/** The part of a call that is alike for unary and streaming ones. */
export interface ServerCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getPath(): string;
  on(event: 'cancelled', listener: () => void): unknown;
}

/** The call behind a gRPC request. Its signal ends when the client cancels, its deadline passes, or it goes away. */
export function grpcCallOf(call: ServerCall, version: RestVersion): Call {
  const principal = LOCAL_PRINCIPAL;
  const gone = new AbortController();
  call.on('cancelled', () => {
    gone.abort();
  });
  const traceparent = metadataOf(call.metadata, 'traceparent');
  return {
    principal,
    owner: ownerOf(principal, 'client'),
    version,
    signal: gone.signal,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** One text value of the metadata; the first where a client sent several. */
export function metadataOf(metadata: Metadata, name: string): string | undefined {
  return metadata.get(name).find((value) => typeof value === 'string');
}
