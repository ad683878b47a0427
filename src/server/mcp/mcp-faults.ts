import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import { mcpErrorOf } from '@parley/protocol/mcp/mcp-fault.js';
import { MODERN_REVISION } from '@parley/protocol/mcp/revision.js';
import { mcpErrorText, type McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import { Answers } from '../http/answer/answers.js';
import { CallRunner } from '../binding/call-runner.js';
import { HttpFault } from '../http/http-fault.js';
import { PLAIN_JSON_HEADERS } from '../http/answer/media-types.js';
import { faultHeaders, refuse } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import type { McpReply } from './call/mcp-reply.js';
import { nameOfMcpCall } from './mcp-call-name.js';
import { beginExchange, type McpExchange } from './mcp-exchange.js';

/** A request that is answered with an error. */
interface RefusedRequest {
  readonly id: McpRequestId | undefined;
  /** Its answer, where it has one that may be a stream by now. */
  readonly own: McpReply | undefined;
}

/** Answers every fault of an MCP message: with its id and in its stream, as far as there are any. */
@Injectable()
export class McpFaults implements FaultWriter {
  private readonly log = new Logger(McpFaults.name);

  constructor(
    private readonly runner: CallRunner,
    private readonly answers: Answers,
  ) {}

  /** Begins the exchange of a request of which nothing has been read: its faults are answered here. */
  begin(request: FastifyRequest): McpExchange {
    const running = this.runner.begin(request.id);
    const exchange: McpExchange = { running, revision: MODERN_REVISION, id: undefined, method: undefined };
    return beginExchange(request, exchange, this);
  }

  /** Answers and counts a message that failed on its way. */
  write(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const exchange = request.mcpExchange;
    // Before its guard a message has not been read.
    if (exchange === undefined) refuse(toClientError(thrown, this.log), request, reply);
    else {
      const { running, id, message } = exchange;
      const own = message?.kind === 'request' ? message.request.reply : undefined;
      this.runner.end(running, nameOfMcpCall(exchange), this.answer(thrown, { id, own }, reply), this.log);
    }
  }

  /** Writes the answer, in its stream where that has begun. Gives the name of the fault. */
  answer(thrown: unknown, { id, own }: RefusedRequest, reply: FastifyReply): A2AErrorName {
    const fault = toClientError(thrown, this.log);
    const { status, error } = mcpErrorOf(fault);
    const text = mcpErrorText(id, error);
    const httpStatus = fault instanceof HttpFault ? fault.httpStatus : status;
    if (own !== undefined) void own.end(text, httpStatus, faultHeaders(fault));
    else this.answers.send(reply, httpStatus, { ...PLAIN_JSON_HEADERS, ...faultHeaders(fault) }, text);
    return fault.kind;
  }
}
