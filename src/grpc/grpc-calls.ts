import { Metadata } from '@grpc/grpc-js';
import { Inject, Injectable } from '@nestjs/common';
import type { Context } from '@opentelemetry/api';
import { CallerGate } from '../auth/caller.gate.js';
import { grpcCall } from '../auth/incoming-call.js';
import { ownerOf } from '../auth/principal.js';
import { expirySignal } from '../auth/principal-expiry.js';
import { BindingOptions } from '../http/binding.options.js';
import { askedExtensions } from '../http/extension-headers.js';
import type { Call, CallFacts } from '../operation/call.js';

/** A stream may outlive its caller's credential by this much; then the caller must come back with a new one. */
const EXPIRY_GRACE_MS = 30_000;

/** What unary and streaming calls of grpc-js have in common. */
export interface ServerCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getPath(): string;
  on(event: 'cancelled', listener: () => void): unknown;
  sendMetadata(metadata: Metadata): void;
}

/** A caller who was let in. */
export interface AdmittedCall {
  /** The binding adds the version. */
  readonly call: Omit<Call, 'version'>;
  /** Sends what the call was told to send with its answer: once, before the first message. */
  readonly sendHeaders: () => void;
  /** To be called when the call is over. */
  readonly release: () => void;
}

/** Makes the call behind a gRPC request. */
@Injectable()
export class GrpcCalls {
  constructor(
    private readonly gate: CallerGate,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /**
   * The signal ends when the client cancels, its deadline passes, it goes away, or its credential is over.
   * @throws AuthError, RateLimitedError
   */
  async of(server: ServerCall, trace: Context, facts: CallFacts): Promise<AdmittedCall> {
    const gone = new AbortController();
    server.on('cancelled', () => {
      gone.abort();
    });
    const address = addressOf(server.getPeer());
    const principal = await this.gate.admit(grpcCall(server.metadata, server.getPath(), address));
    const expiry = expirySignal(principal, EXPIRY_GRACE_MS, Date.now());
    const headers = new Metadata();
    return {
      call: {
        ...{ principal, address, owner: ownerOf(principal, this.options.ownership) },
        extensions: askedExtensions((name) => valuesOf(server.metadata, name)),
        ...{ trace, facts },
        signal: AbortSignal.any([gone.signal, expiry.signal]),
        tell: (told) => {
          for (const [name, value] of Object.entries(told)) headers.set(name, value);
        },
      },
      sendHeaders: () => {
        server.sendMetadata(headers);
      },
      release: expiry.release,
    };
  }
}

/** One text value of the metadata; the first where a client sent several. */
export function metadataOf(metadata: Metadata, name: string): string | undefined {
  return valuesOf(metadata, name)[0];
}

function valuesOf(metadata: Metadata, name: string): readonly string[] {
  return metadata.get(name).filter((value) => typeof value === 'string');
}

/** The address of a peer without its port. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
