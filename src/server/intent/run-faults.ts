import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runFaultOf } from '../../intent/run-answer.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import { Answers } from '../http/answer/answers.js';
import { CallRunner } from '../binding/call-runner.js';
import { PLAIN_JSON_HEADERS } from '../http/answer/media-types.js';
import { faultHeaders, refuse } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import { CALL_NAME } from './run-exchange.js';

/** Answers every fault of `POST /run` in the words of the seed, and counts the call. */
@Injectable()
export class RunFaults implements FaultWriter {
  private readonly calls = new Logger(RunFaults.name);

  constructor(
    private readonly runner: CallRunner,
    private readonly answers: Answers,
  ) {}

  write(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const exchange = request.runExchange;
    request.runExchange = undefined;
    const error = toClientError(thrown, this.calls);
    if (exchange === undefined) {
      refuse(error, request, reply);
      return;
    }
    this.runner.end(exchange.running, CALL_NAME, error.kind, this.calls);
    const { status, text } = runFaultOf(error, exchange.body);
    this.answers.send(reply, status, { ...PLAIN_JSON_HEADERS, ...faultHeaders(error) }, text);
  }
}
