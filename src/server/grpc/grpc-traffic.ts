import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import type { Share } from '../../platform/traffic/budget.js';
import type { Principal } from '../../security/auth/principal.js';
import { clientName, TrafficBudgets } from '../../security/limit/quotas/traffic-budgets.js';
import { MOST_BODY } from '../http/request/request-body.js';

/** What is below a call of grpc-js. */
interface Below {
  readonly stream: ServerHttp2Stream;
  readonly incomingEncoding: string;
}

/** grpc-js keeps every byte of a message until its last one has come, and has no hook for less. @throws TypeError */
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
  /** Answers the call with an error; nothing more of it is read. */
  readonly refuse: (error: Error) => void;
}

/** Bounds the messages that are under way over gRPC, with the bodies of HTTP (I15). */
@Injectable()
export class GrpcTraffic {
  private readonly shares = new WeakMap<Metadata, Share>();

  constructor(private readonly budgets: TrafficBudgets) {}

  /**
   * Counts the bytes of a message as they come, until its call has ended. A compressed one may become as large as any:
   * it waits for that much. @throws RateLimitedError
   */
  async begin({ principal, metadata, encoding, stream, refuse }: UnreadCall): Promise<void> {
    const { bodies } = this.budgets;
    const client = clientName(principal);
    stream.once('close', () => {
      this.stored(metadata);
    });
    if (encoding !== 'identity') {
      this.shares.set(metadata, await bodies.take(client, MOST_BODY));
      if (stream.closed || stream.destroyed) this.stored(metadata);
      return;
    }
    // Before the listener of grpc-js, which keeps nothing of a call that has ended.
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

  /** What a call brought is stored, or it has ended. */
  stored(metadata: Metadata): void {
    this.shares.get(metadata)?.free();
  }
}
