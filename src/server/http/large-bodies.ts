import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify';
import type { LargeAdmission, LargeMessages } from '../../operation/send/large-messages.js';
import type { CallerGate } from '../../security/auth/caller.gate.js';

const underWay = new WeakMap<IncomingMessage, () => void>();
const admissions = new WeakMap<IncomingMessage, LargeAdmission>();

/** A Fastify `onRequest` hook, behind the one that knows the caller: refuses a large body for which there is no room. */
export function refuseLargeBodies(
  gate: Pick<CallerGate, 'admitHttp'>,
  messages: Pick<LargeMessages, 'isLarge' | 'requireRoom'>,
): onRequestHookHandler {
  const requireRoom = async (request: FastifyRequest, bytes: number): Promise<void> => {
    admissions.set(request.raw, await messages.requireRoom(await gate.admitHttp(request), bytes));
  };
  return (request, _reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? 0);
    if (messages.isLarge(bytes)) requireRoom(request, bytes).then(() => done(), done);
    else done();
  };
}

/** A Fastify `preValidation` hook: a large body that was read waits for its turn before it is parsed. */
export function holdLargeBodies(
  gate: Pick<CallerGate, 'admitHttp'>,
  messages: Pick<LargeMessages, 'enter' | 'isLarge'>,
): preValidationHookHandler {
  const enter = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> => {
    const leave = await messages.enter(await gate.admitHttp(request), bytes, admissions.get(request.raw));
    if (reply.raw.destroyed) {
      leave();
      return;
    }
    underWay.set(request.raw, leave);
    reply.raw.once('close', leave);
  };
  return (request, reply, done) => {
    const bytes = Buffer.isBuffer(request.body) ? request.body.length : 0;
    if (messages.isLarge(bytes)) enter(request, reply, bytes).then(() => done(), done);
    else done();
  };
}

/** Whether the request has a large body, which is under way. */
export function hasLargeBody(request: IncomingMessage): boolean {
  return underWay.has(request);
}

/** What the request brought is stored: the next large body may be parsed, though this call may wait for its task. */
export function largeBodyIsStored(request: IncomingMessage): void {
  underWay.get(request)?.();
}
