import { Catch, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runFaultOf } from '../../intent/run-answer.js';
import { FaultFilter } from '../filters/fault.filter.js';
import { Answers } from '../http/answers.js';
import { CallRunner } from '../http/call-runner.js';
import { PLAIN_JSON_HEADERS } from '../http/media-types.js';
import { faultHeaders } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import { CALL_NAME } from './run-exchange.js';

/** Answers every fault of `POST /run` in the words of the seed, and counts the call. */
@Catch()
@Injectable()
export class RunErrorFilter extends FaultFilter {
  private readonly calls = new Logger(RunErrorFilter.name);

  constructor(
    private readonly runner: CallRunner,
    private readonly answers: Answers,
  ) {
    super();
  }

  override refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const exchange = request.runExchange;
    request.runExchange = undefined;
    // Before its guard nothing is known of a call.
    if (exchange === undefined) {
      super.refuse(thrown, request, reply);
      return;
    }
    const error = toClientError(thrown, this.calls);
    this.runner.end(exchange.running, CALL_NAME, error.kind, this.calls);
    const { status, text } = runFaultOf(error, exchange.body);
    this.answers.send(reply, status, { ...PLAIN_JSON_HEADERS, ...faultHeaders(error) }, text);
  }
}
