import type { IncomingMessage } from 'node:http';
import { addressAskedAt, type ListedAddress } from '../../platform/address/listed-address.js';
import { callerAddress, isWithin } from './caller-address.js';
import type { Principal } from '../principal.js';

/** The part of a call that authentication reads, the same for HTTP and gRPC. */
export interface IncomingCall {
  /** Every value of a header in the order of arrival, none when it is absent. The name is in lower case. */
  header(name: string): readonly string[];
  readonly method: string;
  /** Path and query, as the router reads them (`readTarget`). */
  readonly target: string;
  /** The caller's address, behind the proxies of `ingressNetworks`. */
  readonly address: string;
  /** SHA-256 of the caller's TLS certificate in base64url, if the edge has verified one (RFC 8705 §3.1). */
  readonly certificateThumbprint?: string;
  /** Whether the operator has configured proxies: forwarding headers are then expected. */
  readonly isBehindIngress?: boolean;
  /** Id of the request in the log. */
  readonly requestId?: string | undefined;
  /** The public address that the caller used; undefined where fewer than two are listed. */
  readonly askedAt?: ListedAddress | undefined;
}

/** The proxies of the operator, and the public addresses of the service. */
export interface Surroundings {
  /** In CIDR form. */
  readonly ingressNetworks?: readonly string[] | undefined;
  readonly addresses?: readonly ListedAddress[] | undefined;
}

/** The part of a Fastify request that is read here. */
export interface HttpRequest {
  readonly raw: IncomingMessage;
  readonly ip: string;
  readonly id?: string;
  /** The authentication of the caller, once begun. */
  admission?: Promise<Principal> | undefined;
}

/** Whether a value is an HTTP request of Fastify. */
export function isHttpRequest(value: unknown): value is HttpRequest {
  if (typeof value !== 'object' || value === null || !('raw' in value) || !('ip' in value)) return false;
  return typeof value.ip === 'string' && typeof value.raw === 'object';
}

/** The part of gRPC metadata that is read here. */
export interface CallMetadata {
  get(name: string): readonly (string | Buffer)[];
}

const FORWARDED_FOR = 'x-forwarded-for';

/** An HTTP request as an incoming call. Reads the raw headers: Node drops a second `Authorization` from `headers`. */
export function httpCall(
  request: HttpRequest,
  { ingressNetworks = [], addresses = [] }: Surroundings = {},
): IncomingCall {
  const { rawHeaders, method, url } = request.raw;
  const header: IncomingCall['header'] = (name) => valuesOf(rawHeaders, name);
  const isForwarded = ingressNetworks.length > 0;
  return {
    header,
    method: method ?? 'GET',
    target: url ?? '/',
    address: isForwarded ? callerAddress(request.ip, header(FORWARDED_FOR), ingressNetworks) : request.ip,
    requestId: request.id,
    askedAt: addressAskedAt(addresses, {
      ...{ header, host: () => header('host'), isOfProxy: () => isWithin(request.ip, ingressNetworks) },
    }),
    ...(isForwarded ? { isBehindIngress: true } : {}),
  };
}

/** @param rawHeaders alternating names and values, as in Node */
function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** Facts of a gRPC call besides its metadata. */
export interface GrpcTarget {
  /** `/package.Service/Method` */
  readonly path: string;
  /** The address of the connection. */
  readonly peer: string;
  /** `:authority` */
  readonly authority: string;
}

/** A gRPC call as an incoming call. */
export function grpcCall(
  metadata: CallMetadata,
  { path, peer, authority }: GrpcTarget,
  { ingressNetworks = [], addresses = [] }: Surroundings = {},
): IncomingCall {
  const header: IncomingCall['header'] = (name) => metadata.get(name).filter((value) => typeof value === 'string');
  return {
    header,
    method: 'POST',
    target: path,
    address: callerAddress(peer, header(FORWARDED_FOR), ingressNetworks),
    askedAt: addressAskedAt(addresses, {
      ...{ header, host: () => [authority], isOfProxy: () => isWithin(peer, ingressNetworks) },
    }),
  };
}
