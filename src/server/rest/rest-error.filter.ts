import { Catch, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AErrorName } from '../../protocol/errors.js';
import { FaultFilter } from '../filters/fault.filter.js';
import { CallRunner } from '../http/call-runner.js';
import { refuse } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import { nameOf, takeExchange } from './rest-exchange.js';

/** Answers every fault of an HTTP+JSON call as the service does elsewhere, and counts the call. */
@Catch()
@Injectable()
export class RestErrorFilter extends FaultFilter {
  private readonly calls = new Logger(RestErrorFilter.name);

  constructor(private readonly runner: CallRunner) {
    super();
  }

  override refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const exchange = takeExchange(request);
    if (exchange === undefined) {
      super.refuse(thrown, request, reply);
      return;
    }
    const shown = toClientError(thrown, this.calls);
    this.runner.end(exchange.running, nameOf(exchange), shown.kind, this.calls);
    super.refuse(shown, request, reply);
  }

  /** Answers a fault in a stream that is open, as its last event. Gives its name. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): A2AErrorName {
    const shown = toClientError(error, this.calls);
    refuse(shown, request, reply);
    return shown.kind;
  }
}
