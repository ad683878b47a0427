import { randomUUID } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { messageOfIntent, readRunRequest } from '../../intent/intent-request.js';
import { Intents } from '../../intent/intents.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { A2AError } from '../../protocol/errors.js';
import { callerOf } from '../guards/caller.guard.js';
import { CallRunner } from '../http/call-runner.js';
import { HttpCalls } from '../http/http-calls.js';
import { readJson } from '../http/request-body.js';
import { beginExchange } from './run-exchange.js';

/**
 * The method guard of `POST /run`: finds the intent that the body names, and asks for the right and rate of SendMessage.
 * Comes after the caller guard.
 */
@Injectable()
export class RunGuard implements CanActivate {
  constructor(
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly intents: Intents,
    private readonly runner: CallRunner,
  ) {}

  /** @throws A2AError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.permit(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }

  /** Reads the call of a known caller and asks for its right; the exchange of the request has both then. */
  async permit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const exchange = beginExchange(request, this.runner.begin(request.id));
    const { facts } = exchange.running;
    exchange.body = readJson(request.body);
    request.body = undefined;
    const asked = readRunRequest(exchange.body);
    const intent = this.intents.find(asked.intent);
    if (intent === undefined) throw new A2AError('MethodNotFound', `There is no intent "${asked.intent.slice(0, 80)}"`);
    facts.method = intent.id;
    const call = this.calls.of(request, reply, callerOf(request), { version: '1.0', facts });
    const permitted = this.operations.permit('SendMessage', messageOfIntent(intent, asked, randomUUID), call);
    exchange.intent = intent;
    exchange.permitted = permitted instanceof Promise ? await permitted : permitted;
  }
}
