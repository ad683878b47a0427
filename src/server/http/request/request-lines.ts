import type { FastifyInstance, FastifyRequest } from 'fastify';
import { arrivedFields } from '../../../platform/logging/call-fields.js';
import { lineFields, withLineFields } from '../../../platform/logging/line-fields.js';

/**
 * Gives every log line of a request the names of request and trace; its guard adds the caller, and a message what it states.
 * Must be registered before the hooks whose lines these are.
 */
export function nameLines(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    withLineFields(arrivedFields(request.id, request.headers.traceparent), () => {
      request.lineFields = lineFields();
      done();
    });
  });
  // Events of the socket bring the body, outside of what the request is: the work after it comes back to its names.
  fastify.addHook('preValidation', (request, _reply, done) => {
    resumeLines(request, done);
  });
}

/** Runs work of a request whose events come from its socket. */
function resumeLines({ lineFields: fields }: FastifyRequest, work: () => void): void {
  if (fields === undefined) work();
  else withLineFields(fields, work);
}
