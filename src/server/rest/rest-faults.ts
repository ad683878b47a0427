import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import { CallRunner } from '../binding/call-runner.js';
import { refuse } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import { nameOf, takeExchange } from './rest-exchange.js';

/** Answers every fault of an HTTP+JSON call as the service does elsewhere, and counts the call. */
@Injectable()
export class RestFaults implements FaultWriter {
  private readonly calls = new Logger(RestFaults.name);

  constructor(private readonly runner: CallRunner) {}

  write(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const exchange = takeExchange(request);
    const kind = this.answer(thrown, request, reply);
    if (exchange !== undefined) this.runner.end(exchange.running, nameOf(exchange), kind, this.calls);
  }

  /** Answers a fault; in a stream that is open, as its last event. Gives its name. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): A2AErrorName {
    const shown = toClientError(error, this.calls);
    refuse(shown, request, reply);
    return shown.kind;
  }
}
