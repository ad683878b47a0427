import type { IncomingMessage } from 'node:http';
import type { CallerGate } from './caller.gate.js';
import type { HttpRequest } from './incoming/incoming-call.js';

/** Fastify's callback of a hook; an error becomes the answer. */
type HookDone = (error?: Error) => void;

/**
 * A Fastify `onRequest` hook that refuses unauthenticated callers before their body is read. Guards run after body
 * parsing, too late for a stranger's megabytes; they reuse the result of this hook.
 * @param isOpen whether a path is public: agent card, resource document, probes
 */
export function refuseEarly(
  gate: Pick<CallerGate, 'admitHttp'>,
  isOpen: (path: string, request: IncomingMessage) => boolean,
): (request: HttpRequest, reply: unknown, done: HookDone) => void {
  return (request, _reply, done) => {
    const { url = '/' } = request.raw;
    const query = url.indexOf('?');
    if (isOpen(query < 0 ? url : url.slice(0, query), request.raw)) {
      done();
      return;
    }
    gate.admitHttp(request).then(() => done(), done);
  };
}
