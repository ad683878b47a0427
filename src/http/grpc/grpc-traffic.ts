import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import type { Share } from '../../platform/traffic/budget.js';
import type { Principal } from '../../auth/principal.js';
import { clientName, TrafficBudgets } from '../../limits/quotas/traffic-budgets.js';
import { MAX_BODY } from '../request/request-body.js';

/** The HTTP/2 stream below a call of grpc-js. */
interface Below {
  readonly stream: ServerHttp2Stream;
  readonly incomingEncoding: string;
}

/** grpc-js buffers a message until its last byte, and has no hook to limit that. @throws TypeError */
export function below(call: ServerInterceptingCallInterface): Below {
  const { stream, incomingEncoding } = call as unknown as Partial<Below>;
  if (stream === undefined || incomingEncoding === undefined)
    throw new TypeError('This version of grpc-js shows no stream below its calls');
  return { stream, incomingEncoding };
}

/** A call whose message is about to be read. */
export interface UnreadCall {
  readonly principal: Principal;
  readonly metadata: Metadata;
  readonly encoding: string;
  readonly stream: ServerHttp2Stream;
  /** Answers the call with an error; no more of it is read. */
  readonly refuse: (error: Error) => void;
}

/** Bounds the gRPC messages in progress, together with the bodies of HTTP (I15). */
@Injectable()
export class GrpcTraffic {
  private readonly shares = new WeakMap<Metadata, Share>();

  constructor(private readonly budgets: TrafficBudgets) {}

  /**
   * Counts the bytes of a message as they arrive, until its call has ended. A compressed one may have any size: it
   * waits for the maximum. @throws RateLimitedError
   */
  async begin({ principal, metadata, encoding, stream, refuse }: UnreadCall): Promise<void> {
    const { bodies } = this.budgets;
    const client = clientName(principal);
    stream.once('close', () => {
      this.stored(metadata);
    });
    if (encoding !== 'identity') {
      this.shares.set(metadata, await bodies.take(client, MAX_BODY));
      if (stream.closed || stream.destroyed) this.stored(metadata);
      return;
    }
    // Before the listener of grpc-js, which keeps nothing of an ended call.
    stream.prependListener('data', (data: Buffer) => {
      const known = this.shares.get(metadata);
      if (known?.grow(data.length) === true) return;
      const share = known === undefined ? bodies.tryTake(client, data.length) : undefined;
      if (share !== undefined) this.shares.set(metadata, share);
      else {
        stream.removeAllListeners('data');
        refuse(bodies.refusal());
      }
    });
  }

  /** The call's input is stored, or the call has ended. */
  stored(metadata: Metadata): void {
    this.shares.get(metadata)?.free();
  }
}
