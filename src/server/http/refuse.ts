import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthError } from '../../security/auth/challenge/auth.error.js';
import { RateLimitedError } from '../../security/limit/rates/rate-limited.error.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { headerOf } from './request/request-headers.js';
import { type Asked, faultAnswer } from './fault-text.js';
import { HttpFault } from './http-fault.js';

/** Answers a call with a fault, in its caller's protocol; in a stream that is open already, as its last event. */
export function refuse(error: A2AError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, text } = faultAnswer(error, askedBy(request));
  if (reply.raw.headersSent) {
    reply.raw.end(`data: ${text}\n\n`);
    return;
  }
  void reply
    .status(status)
    .headers({ ...headers, ...faultHeaders(error) })
    .send(text);
}

/** Headers of an error, in every dialect. */
export function faultHeaders(error: A2AError): Readonly<Record<string, string>> {
  return {
    ...(error instanceof HttpFault || error instanceof RateLimitedError ? error.headers : {}),
    ...(error instanceof AuthError ? { 'www-authenticate': error.challenges.join(', ') } : {}),
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
  };
}

function askedBy(request: FastifyRequest): Asked {
  return {
    method: request.method,
    path: pathOf(request),
    version: headerOf(request, 'a2a-version'),
    accept: headerOf(request, 'accept'),
  };
}

/** The path of a request as the router reads it (`readTarget`): percent-encoded, without the query. */
export function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split('?')[0] ?? '/';
}
