import { randomUUID } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { messageOfIntent } from '../../intent/intent-request.js';
import { RunRequests } from '../../intent/run-requests.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { callerOf } from '../guards/caller.guard.js';
import { CallRunner } from '../binding/call-runner.js';
import { HttpCalls } from '../binding/http-calls.js';
import { readJson } from '../http/request/request-body.js';
import { beginExchange } from './run-exchange.js';
import { RunFaults } from './run-faults.js';

/**
 * The method guard of `POST /run`: finds the intent that the body names, and asks for the right and rate of SendMessage.
 * Comes after the caller guard.
 */
@Injectable()
export class RunGuard implements CanActivate {
  constructor(
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly requests: RunRequests,
    private readonly runner: CallRunner,
    private readonly faults: RunFaults,
  ) {}

  /** @throws A2AError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const exchange = beginExchange(request, this.runner.begin(request.id), this.faults);
    const { facts } = exchange.running;
    exchange.body = readJson(request.body);
    request.body = undefined;
    const { intent, asked } = await this.requests.read(exchange.body);
    facts.method = intent.id;
    const call = this.calls.of(request, reply, callerOf(request), { version: '1.0', facts });
    const message = messageOfIntent(intent, asked, randomUUID);
    exchange.permitted = await this.operations.permit('SendMessage', message, call);
    exchange.intent = intent;
    return true;
  }
}
