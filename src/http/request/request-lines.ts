import type { FastifyInstance, FastifyRequest } from 'fastify';
import { arrivedFields } from '../../platform/logging/call-fields.js';
import { lineFields, withLineFields } from '../../platform/logging/line-fields.js';

/**
 * Adds the ids of request and trace to every log line of a request; its guard adds the caller, and a message its stated
 * names. Must be registered before the hooks that log.
 */
export function nameLines(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    withLineFields(arrivedFields(request.id, request.headers.traceparent), () => {
      request.lineFields = lineFields();
      done();
    });
  });
  // The body arrives in events of the socket, outside of the request's async context: restores that for the following
  // work.
  fastify.addHook('preValidation', (request, _reply, done) => {
    resumeLines(request, done);
  });
}

/** Runs work of a request whose events come from its socket. */
function resumeLines({ lineFields: fields }: FastifyRequest, work: () => void): void {
  if (fields === undefined) work();
  else withLineFields(fields, work);
}
