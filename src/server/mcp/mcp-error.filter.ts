import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mcpErrorOf } from '../../wire/mcp/mcp-fault.js';
import { mcpErrorText } from '../../wire/mcp/mcp-message.js';
import { Answers } from '../http/answers.js';
import { CallRunner } from '../http/call-runner.js';
import { HttpFault } from '../http/http-fault.js';
import { PLAIN_JSON_HEADERS } from '../http/media-types.js';
import { faultHeaders, refuse } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import { nameOfMcpCall } from './mcp-call-name.js';

/** Answers every fault of an MCP message: with its id and in its stream, as far as there are any. */
@Catch()
@Injectable()
export class McpErrorFilter implements ExceptionFilter {
  private readonly log = new Logger(McpErrorFilter.name);

  constructor(
    private readonly runner: CallRunner,
    private readonly answers: Answers,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const fault = toClientError(thrown, this.log);
    const exchange = request.mcpExchange;
    // Before its guard a message has not been read.
    if (exchange === undefined) {
      refuse(fault, request, reply);
      return;
    }
    const { status, error } = mcpErrorOf(fault);
    const text = mcpErrorText(exchange.id, error);
    const own = exchange.message?.kind === 'request' ? exchange.message.request.reply : undefined;
    const httpStatus = fault instanceof HttpFault ? fault.httpStatus : status;
    if (own !== undefined) void own.end(text, httpStatus, faultHeaders(fault));
    else this.answers.send(reply, httpStatus, { ...PLAIN_JSON_HEADERS, ...faultHeaders(fault) }, text);
    this.runner.end(exchange.running, nameOfMcpCall(exchange), fault.kind, this.log);
  }
}
