import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { DescMethod } from '@bufbuild/protobuf';
import { bytesOf } from '../../../src/http/grpc/schema/schema.js';
import type { GrpcCall, HttpCall, WireCall } from './every-way.js';

/** What came back, in one form for all bindings. */
export interface WireAnswer {
  /** The HTTP status, or the gRPC code by name. */
  readonly status: number | string;
  /** Those that differ from call to call are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; for gRPC the error's text and details, or the bytes of the first message in base64. */
  readonly body: string;
}

type Sent = Readonly<Record<string, string>>;

const CHANGING = new Set(['date', 'ratelimit', 'keep-alive', 'content-length', 'x-request-id']);
const asItIs = (bytes: Buffer): Buffer => bytes;

/** Makes calls on whatever binding they are for, with headers of the test's choice. Streams are read to their first event. */
export class WireClient {
  private readonly grpc: Client;

  constructor(
    private readonly url: string,
    grpcAddress: string,
  ) {
    this.grpc = new Client(grpcAddress, credentials.createInsecure());
  }

  close(): void {
    this.grpc.close();
  }

  call(call: WireCall, headers: Sent = {}): Promise<WireAnswer> {
    return 'http' in call ? this.http(call.http, headers) : this.rpc(call.grpc, headers);
  }

  private async http({ method, path, version, body }: HttpCall, headers: Sent): Promise<WireAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(version === undefined ? {} : { 'a2a-version': version }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const told = [...response.headers].filter(([name]) => !CHANGING.has(name));
    return { status: response.status, headers: Object.fromEntries(told), body: await beginning(response) };
  }

  private async rpc({ service, name, message }: GrpcCall, headers: Sent): Promise<WireAnswer> {
    const method = service.methods.find((other) => other.name === name);
    if (method === undefined) throw new Error(`${service.typeName} has no ${name}`);
    try {
      const bytes = await this.firstMessage(
        `/${service.typeName}/${name}`,
        method,
        bytesOf(method.input, message),
        headers,
      );
      return { status: 'OK', headers: {}, body: bytes.toString('base64') };
    } catch (error) {
      const { code, details, metadata } = error as ServiceError;
      const told = Object.entries(metadata.getMap()).filter(([key]) => !CHANGING.has(key));
      const texts = told.map(([key, value]) => [key, value.toString('base64')] as const);
      const plain = told.map(([key, value]) => [key, typeof value === 'string' ? value : ''] as const);
      return { status: status[code], headers: Object.fromEntries(plain), body: JSON.stringify([details, texts]) };
    }
  }

  private firstMessage(path: string, { methodKind }: DescMethod, bytes: Buffer, headers: Sent): Promise<Buffer> {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const options = { deadline: Date.now() + 20_000 };
    return new Promise((resolve, reject) => {
      if (methodKind === 'server_streaming') {
        const stream = this.grpc.makeServerStreamRequest(path, asItIs, asItIs, bytes, metadata, options);
        stream.once('data', (first: Buffer) => {
          resolve(first);
          stream.cancel();
        });
        stream.on('error', reject);
        return;
      }
      this.grpc.makeUnaryRequest(path, asItIs, asItIs, bytes, metadata, options, (error, answer) => {
        if (error === null) resolve(answer ?? Buffer.alloc(0));
        else reject(error);
      });
    });
  }
}

/** A body that ends is read whole; of a stream, what comes first. */
async function beginning(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? []).toString();
}
