import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOCAL_PRINCIPAL, ownerOf } from '../auth/principal.js';
import type { Call } from '../operation/call.js';
import type { Query } from '../wire/rest-query.js';
import type { StatedVersion } from '../wire/version.js';

/**
 * The call behind an HTTP request, as far as HTTP tells: the binding adds the version. Its signal ends when the client
 * goes away before the answer is complete.
 */
export function callOf(request: FastifyRequest, reply: FastifyReply): Omit<Call, 'version'> {
  const principal = LOCAL_PRINCIPAL;
  const gone = new AbortController();
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const traceparent = headerOf(request, 'traceparent');
  const lastEventId = headerOf(request, 'last-event-id');
  return {
    principal,
    owner: ownerOf(principal, 'client'),
    signal: gone.signal,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(lastEventId === undefined ? {} : { lastEventId }),
  };
}

/** Where a caller says which version of A2A it speaks (DISP-04). */
export function versionOf(request: FastifyRequest): StatedVersion {
  return { header: headerOf(request, 'a2a-version'), query: lastOf((request.query as Query)['A2A-Version']) };
}

/** One value of a header; the first where a client sent several. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function lastOf(value: Query[string]): string | undefined {
  return typeof value === 'object' ? value.at(-1) : value;
}
