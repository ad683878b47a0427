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
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BindingOptions } from '../http/binding.options.js';
import { readJson } from '../http/request-body.js';
import { describeCall, logCall } from '../http/finished-call.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../http/request-id.js';
import { toClientError } from '../http/unexpected.js';
import type { Call, CallFacts } from '../../operation/call.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { HandledCall, StreamEnd } from '../../platform/metrics/observation.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { A2AError } from '../../protocol/errors.js';
import type { StreamResponse } from '../../protocol/event.js';
import type { Json, JsonObject } from '../../protocol/json.js';
import { isStreaming, type OperationName, type StreamingOperation } from '../../protocol/operations.js';
import { endsStream, isTerminal } from '../../protocol/task-state.js';
import { stateOf } from '../../task/feed/event-state.js';
import { contextOf } from '../../platform/tracing/trace-carrier.js';
import { recordsSpans, traced } from '../../platform/tracing/traced.js';
import { restDialect } from '../../wire/rest-dialect.js';
import { StreamMemory } from '../sse/stream-memory.js';
import { type CallHead, GrpcCalls, metadataOf, type ServerCall } from './grpc-calls.js';
import type { GrpcDialect } from './grpc-dialects.js';
import { grpcError } from './grpc-error.js';
import { GrpcStream } from './grpc-stream.js';
import { bytesOf, jsonOf } from './schema/schema.js';

type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
type StreamCall = ServerWritableStream<Buffer, Buffer>;

/** A service as grpc-js takes it. Messages stay bytes there, so that what cannot be decoded is refused in our words. */
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

/** All that is done for a call, from its admission on. */
type Handling = (place: Context, facts: CallFacts) => Promise<void>;

/** A2A over gRPC (A2A 1.0 §10, and 0.3's own service): decodes, runs the operation, encodes. */
@Injectable()
export class GrpcBinding implements OnModuleDestroy {
  private readonly log = new Logger(GrpcBinding.name);
  /** By their paths. */
  private readonly methods = new Map<string, Method>();
  private isLeaving = false;

  constructor(
    private readonly calls: GrpcCalls,
    private readonly operations: OperationExecutor,
    private readonly metrics: Metrics,
    private readonly memory: StreamMemory,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  onModuleDestroy(): void {
    this.isLeaving = true;
  }

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
   * Authenticates from metadata, before the message is read, which may be large and slow. Refusals are counted and logged
   * like any other call. Paths outside A2A are public: health and reflection.
   */
  door(): ServerInterceptor {
    return ({ path }, call) => {
      const method = this.methods.get(path);
      if (method === undefined) return new ServerInterceptingCall(call);
      const onReceiveMetadata: NonNullable<ServerListener['onReceiveMetadata']> = (metadata, next) => {
        const head: CallHead = { metadata, getPath: () => path, getPeer: () => call.getPeer() };
        this.calls.caller(head).then(
          () => {
            next(metadata);
          },
          () => void this.turnAway(call, head, method),
        );
      };
      return new ServerInterceptingCall(call, {
        start: (next) => {
          next({ onReceiveMetadata });
        },
      });
    };
  }

  private async turnAway(call: ServerInterceptingCallInterface, head: CallHead, method: Method): Promise<void> {
    const failure = await this.handled(head.metadata, method, async () => {
      await this.calls.caller(head);
    });
    if (failure !== undefined) call.sendStatus(grpcError(failure));
  }

  private async unary(server: UnaryCall, method: Method, callback: sendUnaryData<Buffer>): Promise<void> {
    const { dialect, operation, descriptor } = method;
    if (isStreaming(operation)) return;
    const failure = await this.serve(server, method, async (caller, sendHeaders) => {
      const result = await this.operations.run(operation, this.paramsOf(server, method), caller);
      sendHeaders();
      callback(null, bytesOf(descriptor.output, dialect.encode(operation, result)));
    });
    if (failure !== undefined) callback(grpcError(failure));
  }

  private async stream(server: StreamCall, method: Method & { readonly operation: StreamingOperation }): Promise<void> {
    const { dialect, operation, descriptor } = method;
    const stream = new GrpcStream(server, this.memory);
    const failure = await this.serve(server, method, async (caller, sendHeaders) => {
      const events = await this.operations.run(operation, this.paramsOf(server, method), caller);
      sendHeaders();
      const closed = this.metrics.streamOpened();
      let written = 0;
      let last: Json<StreamResponse> | undefined;
      try {
        for await (const { event } of events) {
          await stream.send(bytesOf(descriptor.output, dialect.encodeEvent(event)));
          written += 1;
          last = event;
          if (stream.closed) break;
        }
      } finally {
        const how = this.endOf(stream, last);
        closed(how);
        caller.facts.stream = { how, events: written };
      }
      if (caller.facts.stream.how === 'leaving') stream.fail(COME_BACK);
      else stream.end();
    });
    if (failure !== undefined) stream.fail(grpcError(failure));
  }

  /** A stream that ends after an event that does not end the task's was ended by this process. */
  private endOf(stream: GrpcStream, last: Json<StreamResponse> | undefined): StreamEnd {
    if (stream.closed) return 'gone';
    if (last?.text.startsWith('{"message"') === true) return 'ended';
    const state = last && stateOf(last);
    if (state === undefined) return 'leaving';
    // A reader of a task that waits for its caller stays: its stream ends after that event only when the process leaves.
    return isTerminal(state) || (endsStream(state) && !this.isLeaving) ? 'ended' : 'leaving';
  }

  /** Throws `A2AError` for a request that cannot be decoded, or states another version than its service has. */
  private paramsOf({ metadata, request }: UnaryCall | StreamCall, { dialect, operation, descriptor }: Method): unknown {
    const stated = { header: metadataOf(metadata, 'a2a-version') };
    const version = restDialect(dialect.version === '0.3', stated, this.options.strictVersion);
    if (version instanceof A2AError) throw version;
    const json = readJson(Buffer.from(JSON.stringify(decoded(descriptor, request))));
    return dialect.decode(operation, json as JsonObject);
  }

  /** Authenticates the caller and runs its call; returns the client's error if that fails. */
  private serve(server: ServerCall, method: Method, work: Work): Promise<A2AError | undefined> {
    return this.handled(server.metadata, method, async (place, facts) => {
      const { call, sendHeaders, release } = await this.calls.of(server, place, facts);
      await work({ ...call, version: method.dialect.version }, sendHeaders).finally(release);
    });
  }

  /** Traces, counts and logs a call; returns the client's error if it fails. */
  private handled(metadata: Metadata, method: Method, handling: Handling): Promise<A2AError | undefined> {
    const { operation, dialect, descriptor } = method;
    const parent = contextOf(metadata.getMap());
    return traced(
      `A2A/${operation}`,
      () => ({ kind: SpanKind.SERVER, parent }),
      async (span) => {
        const started = performance.now();
        const place = recordsSpans() ? trace.setSpan(ROOT_CONTEXT, span) : parent;
        const facts: CallFacts = {
          requestId: requestIdOf(metadataOf(metadata, REQUEST_ID_HEADER)),
          method: descriptor.name,
        };
        const failure = await this.failureOf(handling(place, facts));
        const seconds = (performance.now() - started) / 1000;
        const outcome = failure?.kind ?? 'ok';
        const call: HandledCall = { binding: 'grpc', operation, dialect: dialect.version, outcome, seconds };
        this.metrics.call(call);
        describeCall(call, facts);
        logCall(this.log, call, facts);
        return failure;
      },
    );
  }

  private failureOf(handling: Promise<void>): Promise<A2AError | undefined> {
    return handling.then(
      () => undefined,
      (error: unknown) => toClientError(error, this.log),
    );
  }
}

/** The task continues and its events are available at other replicas: clients retry on UNAVAILABLE. */
const COME_BACK = { code: status.UNAVAILABLE, details: 'This process leaves: subscribe again' };

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

/** The limits of JSON bodies hold for the JSON of these too: `readJson` checks them. */
function decoded({ input }: DescMethod, bytes: Buffer): unknown {
  try {
    return jsonOf(input, bytes);
  } catch (cause) {
    throw new A2AError('InvalidRequest', `The request is no ${input.name}`, { cause });
  }
}
