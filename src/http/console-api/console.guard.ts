import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { A2AError } from '@parley/protocol/model/errors.js';
import { CallerGate } from '../../auth/caller.gate.js';
import type { Principal } from '../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../auth/scopes.js';
import { callerOf } from '../guards/caller.guard.js';
import { RequireScope } from '../guards/scope.guard.js';
import { headersOf } from '../request/request-headers.js';
import { ConsoleAccess } from './console-access.js';

/**
 * Additional requirements of the console's API besides caller and scope: the request does not come from a page of
 * another site, its caller has requests left of the console's own rate, and for the platform the operator has listed
 * the client.
 */
@Injectable()
export class ConsoleGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly gate: CallerGate,
    @Inject(ConsoleAccess) private readonly access: ConsoleAccess,
  ) {}

  /** @throws A2AError PermissionDenied, RateLimitedError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const caller = callerOf(request);
    const sites = headersOf(request, 'sec-fetch-site');
    if (sites.some((site) => site !== 'same-origin' && site !== 'none')) {
      throw new A2AError('PermissionDenied', 'The console answers no pages of other sites');
    }
    if (this.isOfPlatform(context) && !isOfPlatform(caller, this.access)) {
      throw new A2AError('PermissionDenied', 'The operator has not named this client in CONSOLE_PLATFORM_CLIENTS');
    }
    http
      .getResponse<FastifyReply>()
      .headers({ ...(await this.gate.countConsole(caller)), 'cache-control': 'no-store' });
    return true;
  }

  private isOfPlatform(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const scopes = this.reflector.getAllAndOverride<string | readonly string[]>(RequireScope.KEY, targets);
    return [scopes].flat().includes(CONSOLE_SCOPES.platform);
  }
}

/** Whether a caller with the scope may see the platform. */
export function isOfPlatform({ method, client }: Principal, { platformClients }: ConsoleAccess): boolean {
  return method === 'local' || platformClients.includes(client);
}
