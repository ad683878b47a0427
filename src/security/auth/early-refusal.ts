import type { CallerGate } from './caller.gate.js';
import type { HttpRequest } from './incoming-call.js';

/**
 * A Fastify `onRequest` hook that turns unknown callers away before their body is read. Guards run after the body has
 * been parsed, which is too late for a stranger's megabytes; they find the answer of this hook and do not ask again.
 * @param isOpen whether everybody may call a path with a method: the agent card, the resource document, probes
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
