import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { CALLBACK_PATH, type Callbacks } from './callbacks.js';
import type { CallerGate } from '../../auth/caller.gate.js';
import { unknownPath } from '../../http/errors.js';
import { pathOf } from '../../http/request/request-headers.js';
import { headerOf } from '../../http/request/request-headers.js';

/** Maximum bytes of a callback. */
export const MAX_CALLBACK = 64 * 1024;

/**
 * A Fastify `onRequest` hook: refuses callbacks without the token of their task, and too large ones, before their body
 * is read. The answer is that of an unknown path, so that it reveals no tasks; an address that continues gets 429.
 */
export function refuseForgedCallbacks(
  callbacks: Callbacks,
  gate: Pick<CallerGate, 'countForgery'>,
): onRequestHookHandler {
  return (request, _reply, done) => {
    const path = pathOf(request);
    if (!path.startsWith(CALLBACK_PATH)) {
      done();
      return;
    }
    const isSmall = Number(request.headers['content-length'] ?? 0) <= MAX_CALLBACK;
    if (isSmall && callbacks.isGenuine(path.slice(CALLBACK_PATH.length), callbackTokensOf(request))) {
      done();
      return;
    }
    gate.countForgery(request).then(() => done(unknownPath()), done);
  };
}

/** The tokens of a callback. A2A 1.0 §4.3.3 names `Authorization`; the SDKs send the token in a header of its own. */
export function callbackTokensOf(request: FastifyRequest): readonly string[] {
  const [scheme = '', credentials = ''] = (headerOf(request, 'authorization') ?? '').split(' ');
  const bearer = scheme.toLowerCase() === 'bearer' ? [credentials] : [];
  const named = ['x-a2a-notification-token', 'a2a-notification-token'].flatMap((name) => headerOf(request, name) ?? []);
  return [...bearer, ...named];
}
