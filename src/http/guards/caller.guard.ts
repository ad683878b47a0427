import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerFields } from '../../platform/logging/call-fields.js';
import { addLineFields, type LineFields } from '../../platform/logging/line-fields.js';
import { CallerGate } from '../../auth/caller.gate.js';
import type { Principal } from '../../auth/principal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, set by its guard under Passport's name. */
    user: Principal | undefined;
    /** The log fields of the request (`nameLines`). */
    lineFields: LineFields | undefined;
  }
}

/**
 * Requires an authenticated caller: the guard of bindings. Passport's strategies authenticated it before the body was
 * read (`refuseEarly`); the guard uses their result. Not `AuthGuard`, whose dispatch is slow on this path.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly gate: CallerGate) {}

  /** @throws AuthError, RateLimitedError, A2AError Unavailable */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.user = await this.gate.admitHttp(request);
    addLineFields(callerFields(request.user));
    return true;
  }
}

/** The caller of a request that has passed the caller guard. */
export function callerOf(request: FastifyRequest): Principal {
  if (request.user === undefined) throw new Error('The route has no caller guard');
  return request.user;
}

/** A handler's parameter: the caller. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
