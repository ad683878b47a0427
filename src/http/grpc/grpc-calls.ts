import { Metadata } from '@grpc/grpc-js';
import { Inject, Injectable } from '@nestjs/common';
import { callerFields } from '../../platform/logging/call-fields.js';
import { addLineFields } from '../../platform/logging/line-fields.js';
import type { Context } from '@opentelemetry/api';
import { CallerGate } from '../../auth/caller.gate.js';
import { grpcCall } from '../../auth/incoming/incoming-call.js';
import { ownerOf, type Principal } from '../../auth/principal.js';
import { type AnswerReader, AnswerRooms } from '../answer/answer-rooms.js';
import { BindingOptions } from '../binding/binding.options.js';
import { askedExtensions } from '../request/extension-headers.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../request/request-id.js';
import type { Call, CallFacts } from '../../operations/call.js';
import { GrpcTraffic, type UnreadCall } from './grpc-traffic.js';
import { LargeMessages } from '../../operations/send/large-messages.js';

/** The common members of unary and streaming calls of grpc-js. */
export interface ServerCall {
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  getPeer(): string;
  getPath(): string;
  getHost(): string;
  on(event: 'cancelled', listener: () => void): unknown;
  sendMetadata(metadata: Metadata): void;
}

/** A call whose message has arrived. */
interface ReadCall {
  readonly request: Buffer;
  readonly metadata: Metadata;
}

/** An authenticated call. */
export interface AdmittedCall {
  /** The call; the binding adds the version. */
  readonly call: Omit<Call, 'version'>;
  /** Sends the response metadata of the call: once, before the first message. */
  readonly sendHeaders: () => void;
  /** To be called at the end of the call. */
  readonly release: () => void;
}

/** Facts of a call before its message arrives. */
export type CallHead = Pick<ServerCall, 'metadata' | 'getPeer' | 'getPath' | 'getHost'> & {
  readonly stream?: AnswerReader;
};

interface Admission {
  readonly caller: Promise<Principal>;
  /** The caller's address, behind our own proxies. */
  readonly address: string;
  readonly stream?: AnswerReader | undefined;
}

/** Creates the call behind a gRPC request. */
@Injectable()
export class GrpcCalls {
  private readonly admissions = new WeakMap<Metadata, Admission>();

  constructor(
    private readonly gate: CallerGate,
    private readonly large: LargeMessages,
    private readonly traffic: GrpcTraffic,
    private readonly rooms: AnswerRooms,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** The caller; authenticated once per call, by its metadata alone. @throws AuthError, RateLimitedError */
  caller(head: CallHead): Promise<Principal> {
    return this.admission(head).caller;
  }

  /** Names the caller in the following log lines of a call that is refused for a reason other than its credential. */
  async nameIn(head: CallHead): Promise<void> {
    const known = await this.caller(head).catch(() => undefined);
    if (known !== undefined) addLineFields(callerFields(known));
  }

  /** Counts the bytes of a message before it is read. @throws RateLimitedError */
  countMessage(call: UnreadCall): Promise<void> {
    return this.traffic.begin(call);
  }

  /**
   * A large message waits for its turn before it is decoded, as on HTTP. Its size is unknown before it has been read.
   */
  async inTurn({ request, metadata }: ReadCall, call: Call, work: (call: Call) => Promise<void>): Promise<void> {
    const { length: bytes } = request;
    if (!this.large.isLarge(bytes)) return work(call);
    const leave = await this.large.enter(call.principal, bytes);
    const stored = (): void => {
      leave();
      this.traffic.stored(metadata);
    };
    try {
      await work({ ...call, stored, isLarge: true });
    } finally {
      stored();
    }
  }

  private admission(head: CallHead): Admission {
    const known = this.admissions.get(head.metadata);
    if (known !== undefined) return known;
    const { metadata } = head;
    const requestId = requestIdOf(metadataOf(metadata, REQUEST_ID_HEADER));
    // A generated id is set for everything that is logged about the call.
    metadata.set(REQUEST_ID_HEADER, requestId);
    const target = { path: head.getPath(), peer: addressOf(head.getPeer()), authority: head.getHost() };
    const call = grpcCall(metadata, target, this.gate.surroundings);
    const admission = {
      caller: Promise.resolve(this.gate.admit({ ...call, requestId })),
      address: call.address,
      stream: head.stream,
    };
    this.admissions.set(metadata, admission);
    return admission;
  }

  /**
   * The caller is gone when it cancels, disconnects, or its deadline or credential expires.
   * @throws AuthError, RateLimitedError
   */
  async of(server: ServerCall, trace: Context, facts: CallFacts): Promise<AdmittedCall> {
    const presence = this.gate.lifetimeOf();
    server.on('cancelled', () => {
      presence.leave();
    });
    // The event is emitted once, possibly already during authentication.
    if (server.cancelled) presence.leave();
    const { caller, address, stream } = this.admission(server);
    const principal = await caller;
    addLineFields(callerFields(principal));
    presence.limitTo(principal);
    const headers = new Metadata();
    return {
      call: {
        ...{ principal, address, owner: ownerOf(principal, this.options.ownership) },
        extensions: askedExtensions((name) => valuesOf(server.metadata, name)),
        ...{ trace, facts },
        ...(stream === undefined ? {} : { room: this.rooms.of(principal, stream, 'made') }),
        presence,
        setHeaders: (added) => {
          for (const [name, value] of Object.entries(added)) headers.set(name, value);
        },
      },
      sendHeaders: () => {
        server.sendMetadata(headers);
      },
      release: () => {
        presence.release();
      },
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
