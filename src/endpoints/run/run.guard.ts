import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { messageOfIntent } from '../../operations/intents/intent-request.js';
import { RunRequests } from './run-requests.js';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import { BindingGuard } from '../../http/binding/binding.guard.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import type { Sides } from '../../http/binding/exchange.js';
import { HttpCalls } from '../../http/binding/http-calls.js';
import { callerOf } from '../../http/guards/caller.guard.js';
import { readJson } from '../../http/request/request-body.js';
import { RunExchange } from './run-exchange.js';

/** The method guard of `POST /run`: finds the intent named by the body; its right and rate are those of SendMessage. */
@Injectable()
export class RunGuard extends BindingGuard<RunExchange> {
  constructor(
    private readonly runner: BindingRunner,
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly requests: RunRequests,
  ) {
    super();
  }

  protected override begin({ request }: Sides): RunExchange {
    return new RunExchange(this.runner.begin(request));
  }

  protected override async read(exchange: RunExchange, body: unknown, { request, reply }: Sides): Promise<void> {
    const { facts } = exchange.running;
    exchange.body = readJson(body);
    const { intent, asked } = await this.requests.read(exchange.body);
    exchange.intent = intent;
    facts.method = intent.id;
    const call = this.calls.of(request, reply, callerOf(request), { version: '1.0', facts });
    const message = messageOfIntent(intent, asked, randomUUID);
    exchange.permitted = await this.operations.permit('SendMessage', message, call);
  }
}
