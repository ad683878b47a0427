import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { type FaultAnswer, headOf, malformed, toClientError, unknownPath, unsupportedMediaType } from '../errors.js';
import { tooLarge } from '../request/request-body.js';
import type { BindingRunner } from './binding.runner.js';
import type { Sides } from './exchange.js';

/**
 * Answers every fault from a handler, an interceptor, a guard or Fastify itself (A2A-REST-03, -07). The only catch-all:
 * a global filter registered after it takes the errors that it names, on every route.
 */
@Catch()
export class FaultFilter implements ExceptionFilter {
  private readonly log = new Logger(FaultFilter.name);

  /** @param runner runner of the bindings; absent in a process without callers */
  constructor(
    private readonly answerOf: FaultAnswer,
    private readonly runner?: Pick<BindingRunner, 'fail'>,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const sides = { request: http.getRequest<FastifyRequest>(), reply: http.getResponse<FastifyReply>() };
    const { request, reply } = sides;
    if (request.exchange !== undefined && this.runner !== undefined) {
      this.runner.fail(request.exchange, thrown, sides);
      return;
    }
    if (hasOwnBody(thrown)) {
      void reply.status(thrown.getStatus()).send(thrown.getResponse());
      return;
    }
    const error = toClientError(thrown instanceof HttpException ? faultOf(thrown) : thrown, this.log);
    refuse(error, this.answerOf, sides);
  }
}

/** Answers a request that no binding has read. */
export function refuse(error: A2AError, answerOf: FaultAnswer, { request, reply }: Sides): void {
  const { status, headers, text } = answerOf(error, headOf(request));
  if (reply.raw.headersSent) {
    // An open stream: the fault is its last event.
    reply.raw.end(`data: ${text}\n\n`);
    return;
  }
  void reply
    .status(status)
    .headers({ ...headers })
    .send(text);
}

/** Whether a handler has built a body of its own, as the probes do; Nest's own bodies contain the status code. */
function hasOwnBody(thrown: unknown): thrown is HttpException {
  if (!(thrown instanceof HttpException)) return false;
  const body = thrown.getResponse();
  return typeof body === 'object' && !('statusCode' in body);
}

/** Errors of Fastify or Nest from before our own code ran. */
function faultOf(exception: HttpException): A2AError | HttpException {
  const status = exception.getStatus();
  if (status === 404) return unknownPath();
  if (status === 413) return tooLarge();
  if (status === 415) return unsupportedMediaType();
  return status < 500 ? malformed(status) : exception;
}
