import { errors } from 'undici';
import { BlockedAddressError, EgressTimeoutError, EgressTransportError, type TransportFault } from './egress.errors.js';

/** The error of a failed request. */
export type EgressError = BlockedAddressError | EgressTimeoutError | EgressTransportError;

const CONNECT_CODES = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'];
const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** Translates an error of undici, TLS or the socket into one of ours; `timedOut`: our own deadline caused it. */
export function egressErrorOf(error: unknown, timedOut: boolean): EgressError {
  if (isEgressError(error)) return error;
  if (error instanceof errors.ConnectTimeoutError || codeOf(error) === 'ETIMEDOUT') {
    return new EgressTimeoutError('connect', { cause: error });
  }
  if (error instanceof errors.HeadersTimeoutError) return new EgressTimeoutError('headers', { cause: error });
  if (timedOut || error instanceof errors.BodyTimeoutError) return new EgressTimeoutError('total', { cause: error });
  return new EgressTransportError(faultOf(error), { cause: error });
}

export function isEgressError(error: unknown): error is EgressError {
  return (
    error instanceof BlockedAddressError || error instanceof EgressTimeoutError || error instanceof EgressTransportError
  );
}

function faultOf(error: unknown): TransportFault {
  const code = codeOf(error);
  if (TLS_CODE.test(code)) return 'tls';
  if (CONNECT_CODES.includes(code)) return 'connect';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return 'protocol';
  return 'reset';
}

function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && typeof error.code === 'string' ? error.code : '';
}
