import { status } from '@grpc/grpc-js';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { StreamEnd } from '../../operations/call.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json } from '@parley/protocol/model/json.js';
import { endsStream, isTerminal } from '@parley/protocol/model/task-state.js';
import { stateOf } from '../../tasks/feed/event-state.js';
import { StreamMemory } from '../sse/stream-memory.js';
import { StreamMetrics } from '../sse/stream.metrics.js';
import { GrpcStream, type WritableCall } from './grpc-stream.js';

/** The task continues, and its events are available elsewhere: clients retry UNAVAILABLE. */
const COME_BACK = { code: status.UNAVAILABLE, details: 'This process leaves: subscribe again' };

/** Writes event streams to gRPC clients. */
@Injectable()
export class GrpcStreamWriter implements OnModuleDestroy {
  private isLeaving = false;

  constructor(
    private readonly metrics: StreamMetrics,
    private readonly memory: StreamMemory,
  ) {}

  onModuleDestroy(): void {
    this.isLeaving = true;
  }

  open(call: WritableCall): GrpcStream {
    return new GrpcStream(call, this.memory);
  }

  /** Writes all events and ends the stream; returns the reason of its end. */
  async write(
    stream: GrpcStream,
    events: AsyncIterable<{ readonly event: Json<StreamResponse> }>,
    encode: (event: Json<StreamResponse>) => Buffer,
  ): Promise<{ readonly how: StreamEnd; readonly events: number }> {
    const closed = this.metrics.opened();
    let written = 0;
    let last: Json<StreamResponse> | undefined;
    try {
      for await (const { event } of events) {
        await stream.send(encode(event));
        written += 1;
        last = event;
        if (stream.closed) break;
      }
    } finally {
      closed(this.endOf(stream, last));
    }
    const how = this.endOf(stream, last);
    if (how === 'leaving') stream.fail(COME_BACK);
    else stream.end();
    return { how, events: written };
  }

  /** A stream whose last event does not end the task's events was ended by this process. */
  private endOf(stream: GrpcStream, last: Json<StreamResponse> | undefined): StreamEnd {
    if (stream.closed) return 'gone';
    if (last?.text.startsWith('{"message"') === true) return 'ended';
    const state = last && stateOf(last);
    if (state === undefined) return 'leaving';
    // A reader of a task that waits for its caller stays: its stream ends after that event only at shutdown.
    return isTerminal(state) || (endsStream(state) && !this.isLeaving) ? 'ended' : 'leaving';
  }
}
