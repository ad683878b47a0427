import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { AuditLog } from '../../audit/audit.log.js';
import { AuthError } from '../../auth/challenge/auth.error.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { callerOf } from './caller.guard.js';

/** The scope, or scopes, that a route requires of its callers. */
export const RequireScope = Reflector.createDecorator<string | readonly string[]>();

/** The operation of the protocol equivalent to a route: its scope is required, and its cost is counted. */
export const RequireOperation = Reflector.createDecorator<OperationName>();

/**
 * Authorizes routes whose right is known before the body is read, by `@RequireScope` or `@RequireOperation`; refuses a
 * route without either. Runs after the caller guard. The bindings of A2A have guards of their own, since there the call
 * names the operation.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly gate: CallerGate,
    private readonly audit: AuditLog,
  ) {}

  /** @throws AuthError PermissionDenied, RateLimitedError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    try {
      http.getResponse<FastifyReply>().headers(await this.permit(context, request));
    } catch (error) {
      if (error instanceof AuthError) this.record(request, error);
      throw error;
    }
    return true;
  }

  private async permit(context: ExecutionContext, request: FastifyRequest): Promise<Readonly<Record<string, string>>> {
    const targets = [context.getHandler(), context.getClass()];
    const principal = callerOf(request);
    const operation = this.reflector.getAllAndOverride<OperationName | undefined>(RequireOperation.KEY, targets);
    if (operation !== undefined) return { ...(await this.gate.permit(principal, operation)) };
    const scopes = this.reflector.getAllAndOverride<string | readonly string[] | undefined>(RequireScope.KEY, targets);
    if (scopes === undefined) throw new Error(`${context.getClass().name} does not say which scope it asks for`);
    this.gate.requireScopes(principal, [scopes].flat());
    return {};
  }

  private record(request: FastifyRequest, { kind, reason }: AuthError): void {
    const { tenant, client, subject, method } = callerOf(request);
    const caller = { tenant, client, method, ...(subject === undefined ? {} : { subject }) };
    this.audit.record({ caller, address: this.gate.addressOf(request), code: kind, reason, requestId: request.id });
  }
}
