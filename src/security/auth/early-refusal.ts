import type { CallerGate } from './caller.gate.js';
import type { HttpRequest } from './incoming-call.js';

/**
 * A Fastify `onRequest` hook that refuses unauthenticated callers before their body is read. Guards run after body
 * parsing, too late for a stranger's megabytes; they use the result of this hook and do not authenticate again.
 * @param isOpen whether a path and method are public: the agent card, the resource document, probes
 */
export function refuseEarly(
  gate: Pick<CallerGate, 'admitHttp'>,
  isOpen: (path: string, method: string | undefined) => boolean,
): (request: HttpRequest) => Promise<void> {
  return async (request) => {
    const [path] = (request.raw.url ?? '/').split('?');
    if (isOpen(path ?? '/', request.raw.method)) return;
    await gate.admitHttp(request);
  };
}
