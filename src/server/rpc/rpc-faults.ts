import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import { isStreaming } from '@parley/protocol/model/operations.js';
import { rpcErrorText } from '@parley/protocol/binding/rpc-envelope.js';
import { rpcHttpStatus } from '@parley/protocol/binding/rpc-http-status.js';
import type { FaultWriter } from '../binding/fault-writer.js';
import { Answers } from '../http/answer/answers.js';
import { CallRunner } from '../binding/call-runner.js';
import { PLAIN_JSON_HEADERS } from '../http/answer/media-types.js';
import { faultHeaders, refuse } from '../http/refuse.js';
import { toClientError } from '../http/unexpected.js';
import { headerOf } from '../http/request/request-headers.js';
import { EVENT_STREAM_HEADERS } from '../sse/sse-response.js';
import { beginExchange, nameOf, type RpcExchange, takeExchange } from './rpc-exchange.js';

/** Answers every fault of a JSON-RPC call: in its dialect and with its id, as far as they have been read. */
@Injectable()
export class RpcFaults implements FaultWriter {
  private readonly log = new Logger(RpcFaults.name);

  constructor(
    private readonly runner: CallRunner,
    private readonly answers: Answers,
  ) {}

  /** Begins the exchange of a request of which nothing has been read: its faults are answered here. */
  begin(request: FastifyRequest): RpcExchange {
    return beginExchange(request, this.runner.begin(request.id), this);
  }

  /** Answers and counts a call that failed on its way. */
  write(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const exchange = takeExchange(request);
    // Before its guard a call has neither dialect nor id.
    if (exchange === undefined) refuse(toClientError(error, this.log), request, reply);
    else this.runner.end(exchange.running, nameOf(exchange), this.answer(error, exchange, reply), this.log);
  }

  /** Writes the answer; in a stream that is open already, as its last event. Gives the name of the fault. */
  answer(
    error: unknown,
    { codec, id, wire, operation }: Pick<RpcExchange, 'codec' | 'id' | 'wire' | 'operation'>,
    reply: FastifyReply,
  ): A2AErrorName {
    const shown = toClientError(error, this.log);
    const text = rpcErrorText(id, codec.encodeError(shown, wire));
    const status = rpcHttpStatus(shown.kind);
    const mayStream = operation === undefined || isStreaming(operation);
    if (reply.raw.headersSent) reply.raw.end(`data: ${text}\n\n`);
    else if (status === 200 && mayStream && readsOnlyEvents(reply.request)) {
      // An answer of one event: a stream whose beginning is its end.
      this.answers.send(reply, 200, EVENT_STREAM_HEADERS, `data: ${text}\n\n`);
    } else this.answers.send(reply, status, { ...PLAIN_JSON_HEADERS, ...faultHeaders(shown) }, text);
    return shown.kind;
  }
}

/** Whether a caller takes an event stream and nothing else: several SDKs lose an error that comes as JSON (decision 0014). */
function readsOnlyEvents(request: FastifyRequest): boolean {
  const accepted = headerOf(request, 'accept') ?? '';
  return accepted.split(',').every((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range));
}
