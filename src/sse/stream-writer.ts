import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import type { StreamEnd } from '../metrics/observation.js';
import { SseResponse } from './sse-response.js';

/** Clients of a leaving process come back spread over this time, not all at once. */
const COME_BACK_MS = { least: 500, most: 3_000 } as const;

/** A stream as a binding gives it: events, and how each is written. */
export interface WrittenStream<E> {
  readonly events: AsyncIterable<{ readonly id?: string; readonly event: E }>;
  /** The texts of one event, in the caller's dialect. */
  readonly encode: (event: E) => readonly string[];
  /** More response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a stream ended, and how many events its client was sent. */
export interface StreamOutcome {
  readonly how: StreamEnd;
  readonly events: number;
}

/** Writes event streams to HTTP clients, for every binding that speaks Server-Sent Events. */
@Injectable()
export class StreamWriter implements OnModuleDestroy {
  private leaving = false;

  constructor(private readonly metrics: Metrics) {}

  onModuleDestroy(): void {
    this.leaving = true;
  }

  /**
   * Resolves when the events have ended, which they do too when the client goes away (`Call.signal`). When this process
   * leaves, the client is asked to come back.
   */
  async write<E>(raw: ServerResponse, { events, encode, headers }: WrittenStream<E>): Promise<StreamOutcome> {
    const response = new SseResponse(raw, headers);
    const closed = this.metrics.streamOpened();
    let written = 0;
    try {
      for await (const { id, event } of events) {
        written += 1;
        const texts = encode(event);
        for (const [at, data] of texts.entries()) {
          // Only the last text of an event carries its id: a client that resumes there has had all of it.
          await response.send(id === undefined || at < texts.length - 1 ? { data } : { id, data });
        }
      }
    } finally {
      closed(this.endOf(response));
    }
    const how = this.endOf(response);
    response.end(this.leaving ? comeBack() : undefined);
    return { how, events: written };
  }

  private endOf(response: SseResponse): StreamEnd {
    if (response.wasCut) return 'stalled';
    if (response.closed) return 'gone';
    return this.leaving ? 'leaving' : 'ended';
  }
}

function comeBack(): number {
  return COME_BACK_MS.least + Math.floor(Math.random() * (COME_BACK_MS.most - COME_BACK_MS.least));
}
