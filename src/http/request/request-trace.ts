import { type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from '../../platform/tracing/trace-carrier.js';
import { beginSpan, recordsSpans } from '../../platform/tracing/traced.js';
import { pathOf } from './request-headers.js';

/** The contexts of recorded requests. */
const CONTEXTS = new WeakMap<FastifyRequest['raw'], Context>();

/** The trace context of the request: its span if recorded, else the caller's `traceparent`. */
export function traceOf(request: FastifyRequest): Context {
  const own = recordsSpans() ? CONTEXTS.get(request.raw) : undefined;
  if (own !== undefined) return own;
  return request.headers.traceparent === undefined ? ROOT_CONTEXT : contextOf(request.headers);
}

/**
 * Records a span for every request except probes and scrapes, from its first byte to the end of its response, including
 * streams. Must be registered before the hooks whose work belongs to the span.
 */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isProbe(pathOf(request))) done();
    else context.with(begun(request, reply), done);
  });
  // The body arrives in events of the socket, outside of any async context: restores that for the following work.
  fastify.addHook('preHandler', (request, _reply, done) => {
    context.with(CONTEXTS.get(request.raw) ?? context.active(), done);
  });
}

function begun(request: FastifyRequest, reply: FastifyReply): Context {
  const parent = contextOf(request.headers);
  const route = request.routeOptions.url;
  const attributes = {
    'http.request.method': request.method,
    'url.scheme': request.protocol,
    'url.path': pathOf(request),
    ...(route === undefined ? {} : { 'http.route': route }),
  };
  // Fastify knows the methods of its routes: an invented one never gets here.
  const span = beginSpan(`${request.method} ${route ?? ''}`.trim(), { kind: SpanKind.SERVER, attributes, parent });
  reply.raw.once('close', () => {
    const { statusCode } = reply.raw;
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500)
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(statusCode));
    span.end();
  });
  const own = trace.setSpan(parent, span);
  CONTEXTS.set(request.raw, own);
  return own;
}

function isProbe(path: string): boolean {
  return path.startsWith('/health/') || path === '/metrics';
}
