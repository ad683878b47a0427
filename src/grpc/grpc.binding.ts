import type { DescMethod } from '@bufbuild/protobuf';
import type {
  sendUnaryData,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { BindingOptions } from '../http/binding.options.js';
import { readJson } from '../http/request-body.js';
import { toldToCaller } from '../http/unexpected.js';
import type { Call } from '../operation/call.js';
import { Dispatcher } from '../operation/dispatcher.js';
import { A2AError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import { isStreaming, type OperationName, type StreamingOperation } from '../protocol/operations.js';
import { restDialect } from '../wire/rest-dialect.js';
import { grpcCallOf, metadataOf, type ServerCall } from './grpc-call.js';
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

/** A2A over gRPC (A2A 1.0 §10, and 0.3's own service): decodes, lets the operation work, encodes. */
@Injectable()
export class GrpcBinding {
  private readonly log = new Logger(GrpcBinding.name);

  constructor(
    private readonly dispatcher: Dispatcher,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  service(dialect: GrpcDialect): GrpcService {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const implementation: UntypedServiceImplementation = {};
    for (const descriptor of dialect.service.methods) {
      const operation = dialect.operations[descriptor.name];
      if (operation === undefined) continue;
      const method = { dialect, operation, descriptor };
      definition[descriptor.name] = methodDefinition(method);
      implementation[descriptor.name] = isStreaming(operation)
        ? (call: StreamCall) => void this.stream(call, { ...method, operation })
        : (call: UnaryCall, callback: sendUnaryData<Buffer>) => void this.unary(call, method, callback);
    }
    return { definition, implementation };
  }

  private async unary(call: UnaryCall, method: Method, callback: sendUnaryData<Buffer>): Promise<void> {
    const { dialect, operation, descriptor } = method;
    if (isStreaming(operation)) return;
    const failure = await this.handled(method, async () => {
      const { params, caller } = this.read(call, call.request, method);
      const result = await this.dispatcher.run(operation, params, caller);
      callback(null, bytesOf(descriptor.output, dialect.encode(operation, result)));
    });
    if (failure !== undefined) callback(grpcError(failure));
  }

  private async stream(call: StreamCall, method: Method & { readonly operation: StreamingOperation }): Promise<void> {
    const { dialect, operation, descriptor } = method;
    const stream = new GrpcStream(call);
    const failure = await this.handled(method, async () => {
      const { params, caller } = this.read(call, call.request, method);
      const events = await this.dispatcher.run(operation, params, caller);
      for await (const { event } of events) {
        await stream.send(bytesOf(descriptor.output, dialect.encodeEvent(event)));
        if (stream.closed) break;
      }
      stream.end();
    });
    if (failure !== undefined) stream.fail(grpcError(failure));
  }

  /** Throws `A2AError` for a request that cannot be decoded, or states another version than its service has. */
  private read(call: ServerCall, bytes: Buffer, { dialect, operation, descriptor }: Method): Read {
    const stated = { header: metadataOf(call.metadata, 'a2a-version') };
    const version = restDialect(dialect.version === '0.3', stated, this.options.strictVersion);
    if (version instanceof A2AError) throw version;
    const request = readJson(Buffer.from(JSON.stringify(decoded(descriptor, bytes)))) as JsonObject;
    return { params: dialect.decode(operation, request), caller: grpcCallOf(call, version) };
  }

  /** Runs the work of a call; gives back what the caller is told when it fails. */
  private async handled({ dialect, descriptor }: Method, work: () => Promise<void>): Promise<A2AError | undefined> {
    const started = performance.now();
    let failure: A2AError | undefined;
    try {
      await work();
    } catch (error) {
      failure = toldToCaller(error, this.log);
    }
    this.log.log({
      event: 'grpc.handled',
      method: descriptor.name,
      version: dialect.version,
      outcome: failure?.kind ?? 'ok',
      ms: Math.round(performance.now() - started),
    });
    return failure;
  }
}

interface Read {
  readonly params: unknown;
  readonly caller: Call;
}

function methodDefinition({ dialect, descriptor }: Method): ServiceDefinition[string] {
  const asItIs = (bytes: Buffer): Buffer => bytes;
  return {
    path: `/${dialect.service.typeName}/${descriptor.name}`,
    requestStream: false,
    responseStream: descriptor.methodKind === 'server_streaming',
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
