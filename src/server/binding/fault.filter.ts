import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { malformed, unknownPath, unsupportedMediaType } from '../http/http-fault.js';
import { refuse } from '../http/refuse.js';
import { tooLarge } from '../http/request/request-body.js';
import { toClientError } from '../http/unexpected.js';

/**
 * Answers every fault that leaves a handler, an interceptor, a guard or Fastify itself (A2A-REST-03, -07). The only catch-all:
 * a global filter that is registered after it takes the errors that it names, on every route.
 */
@Catch()
export class FaultFilter implements ExceptionFilter {
  private readonly log = new Logger(FaultFilter.name);

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    if (request.faults !== undefined) {
      request.faults.write(thrown, request, reply);
      return;
    }
    if (hasOwnBody(thrown)) {
      void reply.status(thrown.getStatus()).send(thrown.getResponse());
      return;
    }
    const error = toClientError(thrown instanceof HttpException ? faultOf(thrown) : thrown, this.log);
    refuse(error, request, reply);
  }
}

/** A handler that chose a body of its own, as the probes do, has answered; Nest's own bodies name the status code. */
function hasOwnBody(thrown: unknown): thrown is HttpException {
  if (!(thrown instanceof HttpException)) return false;
  const body = thrown.getResponse();
  return typeof body === 'object' && !('statusCode' in body);
}

/** Errors of Fastify or Nest from before any code of ours ran. */
function faultOf(exception: HttpException): A2AError | HttpException {
  const status = exception.getStatus();
  if (status === 404) return unknownPath();
  if (status === 413) return tooLarge();
  if (status === 415) return unsupportedMediaType();
  return status < 500 ? malformed(status) : exception;
}
