import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../../auth/caller.gate.js';
import { REGISTRY_SCOPES } from '../registry.scopes.js';
import { callerOf } from '../../http/guards/caller.guard.js';
import { RequireScope } from '../../http/guards/scope.guard.js';

/** Counts requests to the registry against the caller's rates: a search like ListTasks, a change like SendMessage. */
@Injectable()
export class RegistryGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly gate: CallerGate,
  ) {}

  /** @throws RateLimitedError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const targets = [context.getHandler(), context.getClass()];
    const scope = this.reflector.getAllAndOverride<string | readonly string[]>(RequireScope.KEY, targets);
    const isRead = request.method === 'GET' || [scope].flat().includes(REGISTRY_SCOPES.read);
    const headers = await this.gate.countLike(callerOf(request), isRead ? 'ListTasks' : 'SendMessage');
    // A caller's view must not be in a shared cache (ARD 0.91 §5.3.4).
    http.getResponse<FastifyReply>().headers({ ...headers, 'cache-control': 'private, no-cache' });
    return true;
  }
}
