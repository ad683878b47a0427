import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { callerFields } from '../../platform/logging/call-fields.js';
import { addLineFields } from '../../platform/logging/line-fields.js';
import { callerOf } from './caller.guard.js';

/**
 * Requires a caller known to one of Passport's strategies (`strategies/`): the guard of all routes except those of
 * bindings, which have the caller guard.
 */
@Injectable()
export class PassportGuard extends AuthGuard(['jwt', 'api-key', 'local']) {
  /** @throws AuthError, RateLimitedError, A2AError Unavailable */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isKnown = await super.canActivate(context);
    addLineFields(callerFields(callerOf(context.switchToHttp().getRequest<FastifyRequest>())));
    return isKnown === true;
  }
}
