import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOCAL_PRINCIPAL, ownerOf, type Principal } from '../auth/principal.js';
import type { Call } from '../operation/call.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';

/** The call behind an HTTP request. Its signal ends when the client goes away before the answer is complete. */
export function callOf(request: FastifyRequest, reply: FastifyReply, version: ProtocolVersion): Call {
  const principal = LOCAL_PRINCIPAL;
  const gone = new AbortController();
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const traceparent = headerOf(request, 'traceparent');
  const lastEventId = headerOf(request, 'last-event-id');
  return {
    principal,
    owner: fullOwnerOf(principal),
    version,
    signal: gone.signal,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(lastEventId === undefined ? {} : { lastEventId }),
  };
}

/** One value of a header; the first where a client sent several. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function fullOwnerOf(principal: Principal): string {
  return `${encodeURIComponent(principal.tenant)}/${ownerOf(principal, 'client')}`;
}
