import { Injectable } from '@nestjs/common';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { FastifyRequest } from 'fastify';
import { BindingGuard } from '../../http/binding/binding.guard.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import type { Sides } from '../../http/binding/exchange.js';
import { HttpCalls } from '../../http/binding/http-calls.js';
import { callerOf } from '../../http/guards/caller.guard.js';
import { bytesOf } from '../../http/request/request-body.js';
import { pathOf } from '../../http/request/request-headers.js';
import { OpenAiExchange } from './openai-exchange.js';

/** The method guard of OpenAI's routes: reads the request. The operations check scope and rate. */
@Injectable()
export class OpenAiGuard extends BindingGuard<OpenAiExchange> {
  constructor(
    private readonly runner: BindingRunner,
    private readonly calls: HttpCalls,
  ) {
    super();
  }

  protected override begin({ request }: Sides): OpenAiExchange {
    return new OpenAiExchange(this.runner.begin(request), operationOf(request));
  }

  protected override async read(exchange: OpenAiExchange, bytes: unknown, { request, reply }: Sides): Promise<void> {
    const { facts } = exchange.running;
    facts.method = `openai/${pathOf(request).split('/')[3] ?? ''}`;
    const call = this.calls.of(request, reply, callerOf(request), { version: '1.0', facts });
    const hasBody = exchange.name.operation === 'SendMessage';
    exchange.read = await Promise.resolve({ call, body: hasBody ? parseJson(bytesOf(bytes)) : undefined });
  }
}

/** The operation by which a request is counted. */
function operationOf(request: FastifyRequest): OperationName {
  const [, , , what, , action] = pathOf(request).split('/');
  if (what === 'models') return 'GetExtendedAgentCard';
  if (request.method === 'GET') return 'GetTask';
  return action === 'cancel' ? 'CancelTask' : 'SendMessage';
}
