import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, type AuthGuardAuthenticateOptions } from '@nestjs/passport';
import { CALLER_STRATEGY } from './caller.strategy.js';
import type { Principal } from './principal.js';

/** A request that passed the guard. */
export interface AuthenticatedRequest {
  readonly principal: Principal;
}

/** Lets known callers in and puts them on the request as `principal`; throws what the gate throws for the others. */
@Injectable()
export class CallerGuard extends AuthGuard(CALLER_STRATEGY) {
  override getAuthenticateOptions(): AuthGuardAuthenticateOptions {
    return { session: false, property: 'principal' };
  }

  /** Passport reports a refusal as an error; a missing principal without an error is a bug of ours. */
  override handleRequest<TUser = Principal>(
    error: unknown,
    principal: TUser | false,
    _info: unknown,
    _context: ExecutionContext,
  ): TUser {
    if (error instanceof Error) throw error;
    if (principal === false) throw new Error('The caller strategy gave neither a principal nor an error');
    return principal;
  }
}
