import type { IncomingMessage } from 'node:http';

/** What authentication reads of a call, alike for HTTP and gRPC. */
export interface IncomingCall {
  /** Every value of a header in the order of arrival, none when it is absent. The name is in lower case. */
  header(name: string): readonly string[];
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The caller's address, as the edge trusts it. */
  readonly address: string;
  /** SHA-256 of the caller's TLS certificate in base64url, where the edge has verified one (RFC 8705 §3.1). */
  readonly certificateThumbprint?: string;
  /** By which the log names the request. */
  readonly requestId?: string;
}

/** The part of a Fastify request that is read here. */
export interface HttpRequest {
  readonly raw: IncomingMessage;
  readonly ip: string;
  readonly id?: string;
}

/** Whether something is an HTTP request as Fastify has it. */
export function isHttpRequest(value: unknown): value is HttpRequest {
  if (typeof value !== 'object' || value === null || !('raw' in value) || !('ip' in value)) return false;
  return typeof value.ip === 'string' && typeof value.raw === 'object';
}

/** The part of gRPC metadata that is read here. */
export interface CallMetadata {
  get(name: string): readonly (string | Buffer)[];
}

/** An HTTP request as an incoming call. Reads the raw headers: Node drops a second `Authorization` from `headers`. */
export function httpCall(request: HttpRequest): IncomingCall {
  const { rawHeaders, method, url } = request.raw;
  return {
    header: (name) => rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name),
    method: method ?? 'GET',
    target: url ?? '/',
    address: request.ip,
    ...(request.id === undefined ? {} : { requestId: request.id }),
  };
}

/** A gRPC call as an incoming call; `path` is `/package.Service/Method`. */
export function grpcCall(metadata: CallMetadata, path: string, address: string): IncomingCall {
  return {
    header: (name) => metadata.get(name).filter((value) => typeof value === 'string'),
    method: 'POST',
    target: path,
    address,
  };
}
