import { Controller, HttpCode, Inject, Logger, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BindingOptions } from '../http/binding.options.js';
import { HttpCalls } from '../http/http-calls.js';
import { answerHeaders, headerOf, versionOf } from '../http/request-headers.js';
import { RPC_PATHS } from '../http/fault-text.js';
import { PLAIN_JSON_HEADERS } from '../http/media-types.js';
import { faultHeaders } from '../http/refuse.js';
import { readJson } from '../http/request-body.js';
import { toClientError } from '../http/unexpected.js';
import type { HandledCall } from '../../platform/metrics/observation.js';
import type { Call, CallFacts } from '../../operation/call.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { LegacyTasks } from '../../operation/legacy-tasks.js';
import { A2AError } from '../../protocol/errors.js';
import { isStreaming, type OperationName, type UnaryOperation } from '../../protocol/operations.js';
import { EVENT_STREAM_HEADERS } from '../sse/sse-response.js';
import { type StreamOutcome, StreamWriter } from '../sse/stream-writer.js';
import type { WireCall, WireCodec } from '../../wire/codec.js';
import { type Dialect, dialectOf, dialectOfTask } from '../../wire/dialect.js';
import { missingId, readRpcRequest, rpcErrorText, type RpcId, rpcResultText } from '../../wire/rpc-envelope.js';
import { rpcHttpStatus } from '../../wire/rpc-http-status.js';
import { codecV1 } from '../../wire/v1_0/codec.js';

/** A parsed call: its operation and its dialect. */
interface RpcCall {
  readonly codec: WireCodec;
  readonly operation: OperationName;
  readonly wire: WireCall;
  readonly id: RpcId;
}

/** Facts of a call while it is parsed, so that an error can be answered in its dialect and with its id. */
interface Reading {
  codec: WireCodec;
  id: RpcId;
  wire?: WireCall;
  operation?: OperationName;
}

/** A response that continues without the controller. */
interface OpenStream {
  readonly reply: FastifyReply;
  readonly ended: Promise<StreamOutcome>;
}

/** The facts of an answered call, for log and metrics. */
interface Handled {
  readonly started: number;
  readonly facts: CallFacts;
  readonly outcome: HandledCall['outcome'];
}

/**
 * A2A over JSON-RPC 2.0 (A2A 1.0 §9, and all versions before): reads the envelope, runs the operation, writes the response
 * in the dialect of the call.
 */
@Controller()
export class RpcController {
  private readonly log = new Logger(RpcController.name);

  constructor(
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly legacy: LegacyTasks,
    private readonly streams: StreamWriter,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  @Post(RPC_PATHS)
  @HttpCode(200)
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const started = performance.now();
    const reading: Reading = { codec: codecV1, id: null };
    const facts: CallFacts = { requestId: request.id };
    let outcome: Handled['outcome'] = 'ok';
    try {
      const call = await this.calls.of(request, reply, facts);
      const rpc = await this.read(request, reading, call);
      const stream = await this.answer(rpc, { ...call, version: rpc.codec.version }, reply);
      if (stream !== undefined) {
        const { codec, id, operation, method } = { ...rpc, ...rpc.wire };
        void this.followed(stream, { codec, id, operation, wire: { method, params: undefined } }, { started, facts });
        return;
      }
    } catch (error) {
      outcome = this.refuse(error, reading, reply);
    }
    this.handled(reading, { started, facts, outcome });
  }

  /** Waits for the end of a stream with as little at hand as that needs: ten thousand may be open at a time. */
  private async followed(
    stream: OpenStream,
    reading: Reading,
    call: Pick<Handled, 'started' | 'facts'>,
  ): Promise<void> {
    let outcome: Handled['outcome'] = 'ok';
    try {
      call.facts.stream = await stream.ended;
    } catch (error) {
      outcome = this.refuse(error, reading, stream.reply);
    }
    this.handled(reading, { ...call, outcome });
  }

  private handled({ operation, codec, wire }: Reading, { started, facts, outcome }: Handled): void {
    if (wire !== undefined) facts.method = wire.method;
    const seconds = (performance.now() - started) / 1000;
    this.calls.handled({ binding: 'jsonrpc', operation, dialect: codec.version, outcome, seconds }, facts, this.log);
  }

  /** Throws `A2AError` for what is no call; `reading` then knows how to answer. */
  private async read(request: FastifyRequest, reading: Reading, { owner }: Pick<Call, 'owner'>): Promise<RpcCall> {
    const envelope = readRpcRequest(readJson(request.body));
    reading.id = envelope.id;
    if ('error' in envelope) throw envelope.error;
    // A stream may stay for hours: what its request weighed need not.
    request.body = undefined;
    const { id, hasId, method, params } = envelope;
    const wire = { method, params };
    reading.wire = wire;
    const clues = { call: wire, ...versionOf(request), strict: this.options.strictVersion };
    const codec = await this.codecFor(dialectOf(clues), owner, reading);
    if (!hasId && codec.version === '1.0') throw missingId();
    const operation = codec.operationOf(method, params);
    if (operation === undefined) throw new A2AError('MethodNotFound', 'Method not found');
    reading.operation = operation;
    return { codec, operation, wire, id };
  }

  private async codecFor(dialect: Dialect, owner: string, reading: Reading): Promise<WireCodec> {
    if (dialect.kind === 'ask-task') {
      reading.codec = dialectOfTask(undefined);
      reading.codec = dialectOfTask(await this.legacy.dialectOf(owner, dialect.taskId));
      return reading.codec;
    }
    reading.codec = dialect.codec;
    if (dialect.kind === 'refused') throw dialect.error;
    return dialect.codec;
  }

  /** Answers the call, or begins the stream that does. */
  private async answer(
    { codec, operation, wire, id }: RpcCall,
    caller: Call,
    reply: FastifyReply,
  ): Promise<OpenStream | undefined> {
    const terms = codec.legacyTerms(operation, wire);
    const call = terms === undefined ? caller : { ...caller, legacy: terms };
    const params = await this.legacy.withServerId(operation, codec.decodeParams(operation, wire), call);
    if (isStreaming(operation)) {
      const events = await this.operations.run(operation, params, call);
      const encodeEvent = codec.streamEncoder(operation, wire);
      const encode: typeof encodeEvent = (event) => encodeEvent(event).map((text) => rpcResultText(id, text));
      const headers = answerHeaders(reply);
      reply.hijack();
      return { reply, ended: this.streams.write(reply.raw, { events, headers, encode }) };
    }
    const unary: UnaryOperation = operation;
    const result = await this.operations.run(unary, params, call);
    send(reply, 200, rpcResultText(id, codec.encodeResult(unary, result, wire)));
    return undefined;
  }

  private refuse(error: unknown, { codec, id, wire, operation }: Reading, reply: FastifyReply): A2AError['kind'] {
    const told = toClientError(error, this.log);
    const text = rpcErrorText(id, codec.encodeError(told, wire));
    const status = rpcHttpStatus(told.kind);
    const mayStream = operation === undefined || isStreaming(operation);
    if (reply.raw.headersSent) reply.raw.end(`data: ${text}\n\n`);
    else if (status === 200 && mayStream && readsOnlyEvents(reply.request)) sendEvent(reply, text);
    else send(reply.headers(faultHeaders(told)), status, text);
    return told.kind;
  }
}

/** Whether a caller accepts only an event stream: several SDKs lose an error in a JSON response (decision 0014). */
function readsOnlyEvents(request: FastifyRequest): boolean {
  const accepted = headerOf(request, 'accept') ?? '';
  return accepted.split(',').every((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range));
}

/** A stream with one event. */
function sendEvent(reply: FastifyReply, text: string): void {
  void reply.status(200).headers(EVENT_STREAM_HEADERS).send(`data: ${text}\n\n`);
}

function send(reply: FastifyReply, status: number, text: string): void {
  void reply.status(status).headers(PLAIN_JSON_HEADERS).send(text);
}
