import {
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  Metadata,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';

type Parsed = ReturnType<typeof JSON.parse>;

/** Calls a gRPC service by its definition; messages are what the definition makes of them. */
export class GrpcClient {
  private readonly client: InstanceType<ReturnType<typeof makeGenericClientConstructor>>;

  constructor(
    address: string,
    definition: ServiceDefinition,
    private readonly metadata: Readonly<Record<string, string>> = {},
    userAgent = '',
  ) {
    const Client = makeGenericClientConstructor(definition, 'A2AService');
    // An answer has as many bytes as it has: only the service has a limit.
    const options = { 'grpc.max_receive_message_length': -1, 'grpc.primary_user_agent': userAgent };
    this.client = new Client(address, credentials.createInsecure(), options);
  }

  close(): void {
    this.client.close();
  }

  /** Rejects with a `ServiceError`. */
  async call(method: string, request: unknown): Promise<Parsed> {
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response: Parsed): void => {
        if (error === null) resolve(response);
        else reject(error);
      };
      this.method(method)(request, this.sent(), { deadline: Date.now() + 20_000 }, done);
    });
  }

  stream(method: string, request: unknown): ClientReadableStream<Parsed> {
    return this.method(method)(request, this.sent()) as ClientReadableStream<Parsed>;
  }

  private method(name: string): (...given: readonly unknown[]) => unknown {
    const found: unknown = this.client[name];
    if (typeof found !== 'function') throw new Error(`The service has no method ${name}`);
    return found.bind(this.client) as (...given: readonly unknown[]) => unknown;
  }

  private sent(): Metadata {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(this.metadata)) metadata.set(name, value);
    return metadata;
  }
}
