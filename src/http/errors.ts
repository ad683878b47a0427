import { randomUUID } from 'node:crypto';
import type { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isRedisOutage } from '../platform/redis/connection/redis-outage.js';
import { A2AError, type A2AErrorDetails, type A2AErrorName } from '@parley/protocol/model/errors.js';
import { AuthError } from '../auth/challenge/auth.error.js';
import { RateLimitedError } from '../limits/rates/rate-limited.error.js';
import { headerOf, pathOf } from './request/request-headers.js';

/** A fault with an HTTP status and headers of its own, beyond the protocol's errors. */
export class HttpFault extends A2AError {
  constructor(
    kind: A2AErrorName,
    message: string,
    readonly httpStatus: number,
    readonly headers: Readonly<Record<string, string>> = {},
    details: A2AErrorDetails = {},
  ) {
    super(kind, message, details);
  }
}

/** A change based on an outdated state (RFC 9110 §15.5.10). */
export function conflict(error: A2AError): HttpFault {
  const { kind, message, metadata } = error;
  return new HttpFault(kind, message, 409, {}, { metadata, cause: error });
}

/** An unknown path (A2A-REST-07). */
export function unknownPath(): HttpFault {
  return new HttpFault('MethodNotFound', 'There is nothing at this path', 404);
}

/** A known path with an unsupported method (RFC 9110 §15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): HttpFault {
  const allow = allowed.join(', ');
  return new HttpFault('MethodNotFound', `This path takes ${allow} only`, 405, { allow });
}

/** A body of a type that no binding reads (A2A-REST-07). */
export function unsupportedMediaType(): HttpFault {
  const message = 'The content type is not supported: send application/json or application/a2a+json';
  return new HttpFault('ContentTypeNotSupported', message, 415, { accept: 'application/json, application/a2a+json' });
}

/** A compressed body: none is decompressed, so no decompression bomb works (RFC 9110 §15.5.16). */
export function unsupportedEncoding(): HttpFault {
  const message = 'The content encoding is not supported: send the body uncompressed';
  return new HttpFault('ContentTypeNotSupported', message, 415, { 'accept-encoding': 'identity' });
}

/** A malformed HTTP request: an undecodable target, a truncated body. */
export function malformed(status = 400): HttpFault {
  return new HttpFault('InvalidRequest', 'The request is malformed', status);
}

/** Seconds after which a caller may try again: Redis is usually back by then. */
const RETRY_AFTER_S = 2;

/** The client's error for any error. Unexpected ones become an opaque reference id; the stack is only in the log. */
export function toClientError(error: unknown, log: Logger): A2AError {
  if (error instanceof A2AError) return error;
  if (isRedisOutage(error)) {
    log.warn({ event: 'redis.unavailable', reason: error instanceof Error ? error.message : String(error) });
    return new A2AError('Unavailable', 'The service cannot reach its storage: please try again', {
      retryAfterSeconds: RETRY_AFTER_S,
      cause: error,
    });
  }
  const reference = randomUUID();
  log.error({ event: 'unexpected', reference, error });
  return new A2AError('InternalError', `Internal error. Reference: ${reference}`, {
    metadata: { reference },
    cause: error,
  });
}

/** Headers of an error, in every dialect. */
export function faultHeaders(error: A2AError): Readonly<Record<string, string>> {
  return {
    ...(error instanceof HttpFault || error instanceof RateLimitedError ? error.headers : {}),
    ...(error instanceof AuthError ? { 'www-authenticate': error.challenges.join(', ') } : {}),
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
  };
}

/** An answer of HTTP. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The part of a request's head that decides the format of a fault. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The `A2A-Version` and `Accept` headers. */
  readonly version?: string | undefined;
  readonly accept?: string | undefined;
}

/** Formats faults of requests refused before a binding has read them, by method and path. */
export interface HeadFaults {
  takes(head: RequestHead): boolean;
  answer(error: A2AError, head: RequestHead): TextAnswer;
}

/** Formats faults of unread requests in the protocols of their callers. */
export type FaultAnswer = (error: A2AError, head: RequestHead) => TextAnswer;

/** @param bindings in order of precedence @param other takes all remaining requests */
export function faultAnswers(bindings: readonly HeadFaults[], other: HeadFaults): FaultAnswer {
  return (error, head) => (bindings.find((one) => one.takes(head)) ?? other).answer(error, head);
}

export function headOf(request: FastifyRequest): RequestHead {
  return {
    method: request.method,
    path: pathOf(request),
    version: headerOf(request, 'a2a-version'),
    accept: headerOf(request, 'accept'),
  };
}
