import type { ServerHttp2Stream } from 'node:http2';
import type { DescMethod } from '@bufbuild/protobuf';
import {
  type Metadata,
  type sendUnaryData,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerListener,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BindingOptions } from '../binding/binding.options.js';
import { readJson } from '../request/request-body.js';
import { CallRecorder } from '../binding/call-recorder.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../request/request-id.js';
import { toClientError } from '../errors.js';
import type { Call, CallFacts } from '../../operations/call.js';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json, JsonObject } from '@parley/protocol/model/json.js';
import { isStreaming, type OperationName, type StreamingOperation } from '@parley/protocol/model/operations.js';
import { arrivedFields } from '../../platform/logging/call-fields.js';
import { withLineFields } from '../../platform/logging/line-fields.js';
import { contextOf } from '../../platform/tracing/trace-carrier.js';
import { recordsSpans, traced } from '../../platform/tracing/traced.js';
import { restDialect } from '@parley/protocol/versions/rest-dialect.js';
import { type CallHead, GrpcCalls, metadataOf } from './grpc-calls.js';
import type { GrpcDialect } from './grpc-dialects.js';
import { grpcError } from './grpc-error.js';
import { GrpcStreamWriter } from './grpc-stream.writer.js';
import { below } from './grpc-traffic.js';
import { bytesOf, jsonOf } from './schema/schema.js';

type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
type StreamCall = ServerWritableStream<Buffer, Buffer>;

/** A service definition for grpc-js. Messages stay bytes there, so that undecodable ones get our own error. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** One method of one version. */
interface Method {
  readonly dialect: GrpcDialect;
  readonly operation: OperationName;
  readonly descriptor: DescMethod;
}

/** The work of an authenticated call. */
type Work = (caller: Call, sendHeaders: () => void) => Promise<void>;

/** A call refused before its message has arrived. */
interface TurnedAway {
  readonly call: ServerInterceptingCallInterface;
  readonly head: CallHead & { readonly stream: ServerHttp2Stream };
  readonly method: Method;
}

/** The processing of a call from its admission on. */
type Handling = (place: Context, facts: CallFacts) => Promise<void>;

/** A2A over gRPC (A2A 1.0 §10, and 0.3's own service): decodes, runs the operation, encodes. */
@Injectable()
export class GrpcBinding {
  private readonly log = new Logger(GrpcBinding.name);
  /** Methods by path. */
  private readonly methods = new Map<string, Method>();

  constructor(
    private readonly calls: GrpcCalls,
    private readonly operations: OperationExecutor,
    private readonly streams: GrpcStreamWriter,
    private readonly recorder: CallRecorder,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  service(dialect: GrpcDialect): GrpcService {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const implementation: UntypedServiceImplementation = {};
    for (const descriptor of dialect.service.methods) {
      const operation = dialect.operations[descriptor.name];
      if (operation === undefined) continue;
      const method = { dialect, operation, descriptor };
      this.methods.set(pathOf(method), method);
      definition[descriptor.name] = methodDefinition(method);
      implementation[descriptor.name] = isStreaming(operation)
        ? (call: StreamCall) => void this.stream(call, { ...method, operation })
        : (call: UnaryCall, callback: sendUnaryData<Buffer>) => void this.unary(call, method, callback);
    }
    return { definition, implementation };
  }

  /**
   * Authenticates from metadata before the message is read, which may be large and slow, and counts its bytes as they
   * arrive. Refusals are counted and logged like any other call. Paths outside A2A are public: health and reflection.
   */
  authInterceptor(): ServerInterceptor {
    return ({ path }, call) => {
      const method = this.methods.get(path);
      if (method === undefined) return new ServerInterceptingCall(call);
      const { stream, incomingEncoding: encoding } = below(call);
      const onReceiveMetadata: NonNullable<ServerListener['onReceiveMetadata']> = (metadata, next) => {
        const head = {
          metadata,
          getPath: () => path,
          getPeer: () => call.getPeer(),
          getHost: () => call.getHost(),
          stream,
        };
        const refuse = (error: Error): void => void this.turnAway({ call, head, method }, error);
        this.calls
          .caller(head)
          .then((principal) => this.calls.countMessage({ principal, metadata, encoding, stream, refuse }))
          .then(() => {
            next(metadata);
          }, refuse);
      };
      return new ServerInterceptingCall(call, {
        start: (next) => {
          next({ onReceiveMetadata });
        },
      });
    };
  }

  /** Also ends the stream: otherwise its caller could keep it, with the received part of its message. */
  private async turnAway({ call, head, method }: TurnedAway, error: Error): Promise<void> {
    const failure = await this.handled(head.metadata, method, async () => {
      await this.calls.nameIn(head);
      throw error;
    });
    if (failure === undefined) return;
    call.sendStatus(grpcError(failure));
    head.stream.close();
  }

  private async unary(server: UnaryCall, method: Method, callback: sendUnaryData<Buffer>): Promise<void> {
    const { operation, descriptor } = method;
    const dialect = dialectOf(server, method);
    if (isStreaming(operation)) return;
    const failure = await this.serve(server, method, async (caller, sendHeaders) => {
      const permitted = await this.operations.permit(operation, this.paramsOf(server, { ...method, dialect }), caller);
      const result = await this.operations.run(permitted);
      sendHeaders();
      callback(null, bytesOf(descriptor.output, dialect.encode(operation, result)));
    });
    if (failure !== undefined) callback(grpcError(failure));
  }

  private async stream(server: StreamCall, method: Method & { readonly operation: StreamingOperation }): Promise<void> {
    const { operation, descriptor } = method;
    const dialect = dialectOf(server, method);
    const stream = this.streams.open(server);
    const failure = await this.serve(server, method, async (caller, sendHeaders) => {
      const permitted = await this.operations.permit(operation, this.paramsOf(server, { ...method, dialect }), caller);
      const events = await this.operations.run(permitted);
      sendHeaders();
      const encode = (event: Json<StreamResponse>): Buffer => bytesOf(descriptor.output, dialect.encodeEvent(event));
      caller.facts.stream = await this.streams.write(stream, events, encode);
    });
    if (failure !== undefined) stream.fail(grpcError(failure));
  }

  /** Throws `A2AError` for an undecodable request, or one that states another version than its service. */
  private paramsOf({ metadata, request }: UnaryCall | StreamCall, { dialect, operation, descriptor }: Method): unknown {
    const stated = { header: metadataOf(metadata, 'a2a-version') };
    const version = restDialect(dialect.version === '0.3', stated, this.options.strictVersion);
    if (version instanceof A2AError) throw version;
    const json = readJson(Buffer.from(JSON.stringify(decoded(descriptor, request))));
    return dialect.decode(operation, json as JsonObject);
  }

  /** Authenticates the caller and runs its call; returns the client's error if that fails. */
  private serve(server: UnaryCall | StreamCall, method: Method, work: Work): Promise<A2AError | undefined> {
    return this.handled(server.metadata, method, async (place, facts) => {
      const { call, sendHeaders, release } = await this.calls.of(server, place, facts);
      try {
        const versioned = { ...call, version: method.dialect.version };
        await this.calls.inTurn(server, versioned, (own) => work(own, sendHeaders));
      } finally {
        release();
      }
    });
  }

  /** Traces, counts and logs a call; returns the client's error if it fails. */
  private handled(metadata: Metadata, method: Method, handling: Handling): Promise<A2AError | undefined> {
    const { operation, dialect, descriptor } = method;
    const headers = metadata.getMap();
    const parent = contextOf(headers);
    const requestId = requestIdOf(metadataOf(metadata, REQUEST_ID_HEADER));
    const work = (): Promise<A2AError | undefined> =>
      traced(
        `A2A/${operation}`,
        () => ({ kind: SpanKind.SERVER, parent }),
        async (span) => {
          const running = this.recorder.begin(requestId);
          const { facts } = running;
          facts.method = descriptor.name;
          const place = recordsSpans() ? trace.setSpan(ROOT_CONTEXT, span) : parent;
          const failure = await this.failureOf(handling(place, facts));
          const name = { binding: 'grpc', operation, dialect: dialect.version } as const;
          this.recorder.end(running, name, failure?.kind ?? 'ok');
          return failure;
        },
      );
    return withLineFields(arrivedFields(requestId, headers.traceparent), work);
  }

  private failureOf(handling: Promise<void>): Promise<A2AError | undefined> {
    return handling.then(
      () => undefined,
      (error: unknown) => toClientError(error, this.log),
    );
  }
}

function dialectOf({ metadata }: UnaryCall | StreamCall, { dialect }: Method): GrpcDialect {
  return dialect.forCaller(metadataOf(metadata, 'user-agent'));
}

function pathOf({ dialect, descriptor }: Method): string {
  return `/${dialect.service.typeName}/${descriptor.name}`;
}

function methodDefinition(method: Method): ServiceDefinition[string] {
  const asItIs = (bytes: Buffer): Buffer => bytes;
  return {
    path: pathOf(method),
    requestStream: false,
    responseStream: method.descriptor.methodKind === 'server_streaming',
    requestSerialize: asItIs,
    requestDeserialize: asItIs,
    responseSerialize: asItIs,
    responseDeserialize: asItIs,
  };
}

/** The limits of JSON bodies apply to the JSON of these too: `readJson` checks them. */
function decoded({ input }: DescMethod, bytes: Buffer): unknown {
  try {
    return jsonOf(input, bytes);
  } catch (cause) {
    throw new A2AError('InvalidRequest', `The request is no ${input.name}`, { cause });
  }
}
