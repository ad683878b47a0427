import { Controller, HttpCode, Logger, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf, headerOf } from '../http/call-of.js';
import { readJson } from '../http/request-body.js';
import { toldToCaller } from '../http/unexpected.js';
import type { Call } from '../operation/call.js';
import { Dispatcher } from '../operation/dispatcher.js';
import { A2AError } from '../protocol/errors.js';
import { isStreaming, type OperationName, type UnaryOperation } from '../protocol/operations.js';
import { StreamWriter } from '../sse/stream-writer.js';
import type { WireCall, WireCodec } from '../wire/codec.js';
import { missingId, readRpcRequest, rpcErrorText, type RpcId, rpcResultText } from '../wire/rpc-envelope.js';
import { rpcHttpStatus } from '../wire/rpc-http-status.js';
import { codecV1 } from '../wire/v1_0/codec.js';
import { codecFor } from './codec-for.js';

/** A call that has been read: who answers it, and how. */
interface RpcCall {
  readonly codec: WireCodec;
  readonly operation: OperationName;
  readonly wire: WireCall;
  readonly id: RpcId;
}

/** What is known of a call while it is read, so that a fault can be answered in its dialect and with its id. */
interface Reading {
  codec: WireCodec;
  id: RpcId;
  method?: string;
}

/** A2A over JSON-RPC 2.0 (A2A 1.0 §9): reads the envelope, lets the operation work, writes the answer in the dialect. */
@Controller()
export class RpcController {
  private readonly log = new Logger(RpcController.name);

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly streams: StreamWriter,
  ) {}

  @Post('/')
  @HttpCode(200)
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const started = performance.now();
    const reading: Reading = { codec: codecV1, id: null };
    let outcome = 'ok';
    try {
      const rpc = readCall(request, reading);
      const call = callOf(request, reply, rpc.codec.version);
      await this.answer(rpc, call, reply);
    } catch (error) {
      outcome = this.refuse(error, reading, reply);
    }
    this.log.log({
      event: 'rpc.handled',
      method: reading.method,
      version: reading.codec.version,
      outcome,
      ms: Math.round(performance.now() - started),
    });
  }

  private async answer({ codec, operation, wire, id }: RpcCall, call: Call, reply: FastifyReply): Promise<void> {
    const params = codec.decodeParams(operation, wire);
    if (isStreaming(operation)) {
      const events = await this.dispatcher.run(operation, params, call);
      const encode = codec.streamEncoder(operation, wire);
      reply.hijack();
      await this.streams.write(reply.raw, {
        events,
        encode: (event) => encode(event).map((text) => rpcResultText(id, text)),
      });
      return;
    }
    const unary: UnaryOperation = operation;
    const result = await this.dispatcher.run(unary, params, call);
    send(reply, 200, rpcResultText(id, codec.encodeResult(unary, result, wire)));
  }

  private refuse(error: unknown, { codec, id }: Reading, reply: FastifyReply): string {
    const told = toldToCaller(error, this.log);
    const text = rpcErrorText(id, codec.encodeError(told));
    if (reply.raw.headersSent) reply.raw.end(`data: ${text}\n\n`);
    else {
      if (told.retryAfterSeconds !== undefined) reply.header('retry-after', String(told.retryAfterSeconds));
      send(reply, rpcHttpStatus(told.kind), text);
    }
    return told.kind;
  }
}

function readCall(request: FastifyRequest, reading: Reading): RpcCall {
  const envelope = readRpcRequest(readJson(request.body));
  reading.id = envelope.id;
  if ('error' in envelope) throw envelope.error;
  const { id, hasId, method, params } = envelope;
  reading.method = method;
  const codec = codecFor(headerOf(request, 'a2a-version'));
  reading.codec = codec;
  if (!hasId) throw missingId();
  const operation = codec.operationOf(method);
  if (operation === undefined) throw new A2AError('MethodNotFound', 'Method not found');
  return { codec, operation, wire: { method, params }, id };
}

function send(reply: FastifyReply, status: number, text: string): void {
  void reply.status(status).header('content-type', 'application/json; charset=utf-8').send(text);
}
