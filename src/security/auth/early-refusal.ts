import type { CallerGate } from './caller.gate.js';
import type { HttpRequest } from './incoming-call.js';

/** Fastify's callback of a hook: with an error, that is answered. A hook that never waits makes no promise with it. */
type HookDone = (error?: Error) => void;

/**
 * A Fastify `onRequest` hook that refuses unauthenticated callers before their body is read. Guards run after body
 * parsing, too late for a stranger's megabytes; they use the result of this hook and do not authenticate again.
 * @param isOpen whether a path and method are public: the agent card, the resource document, probes
 */
export function refuseEarly(
  gate: Pick<CallerGate, 'admitHttp'>,
  isOpen: (path: string, method: string | undefined) => boolean,
): (request: HttpRequest, reply: unknown, done: HookDone) => void {
  return (request, _reply, done) => {
    const { url = '/', method } = request.raw;
    const query = url.indexOf('?');
    if (isOpen(query < 0 ? url : url.slice(0, query), method)) {
      done();
      return;
    }
    const admitted = gate.admitHttp(request);
    if (admitted instanceof Promise) admitted.then(() => done(), done);
    else done();
  };
}
