import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { StreamEnd } from '../../operation/call.js';
import { type SseFrame, SseResponse } from './sse-response.js';
import { StreamMemory } from './stream-memory.js';
import { StreamMetrics } from './stream.metrics.js';

/** Clients of a leaving process come back spread over this time, not all at once. */
const COME_BACK_MS = { least: 500, most: 3_000 } as const;

interface StreamedFrame<E> {
  readonly id?: string;
  readonly name?: string;
  readonly event: E;
}

/** A stream as a binding gives it: events, and how each is written. */
export interface WrittenStream<E> {
  readonly events: AsyncIterator<StreamedFrame<E>, void, void>;
  /** The texts of one event, in the caller's dialect. */
  readonly encode: (event: E) => readonly string[];
  /** More response headers: names and values in turn. */
  readonly headers?: readonly string[];
}

/** The end of a stream, and the number of sent events. */
export interface StreamOutcome {
  readonly how: StreamEnd;
  readonly events: number;
}

/** Writes event streams to HTTP clients, for every binding that speaks Server-Sent Events. */
@Injectable()
export class StreamWriter implements OnModuleDestroy {
  private leaving = false;
  private readonly leavers = new Set<() => void>();

  constructor(
    private readonly metrics: StreamMetrics,
    private readonly memory: StreamMemory,
  ) {}

  onModuleDestroy(): void {
    this.leaving = true;
    for (const leave of this.leavers) leave();
  }

  /** Calls back when the process leaves, for events that do not end by themselves. The returned function gives that up. */
  whenLeaving(leave: () => void): () => void {
    if (this.leaving) leave();
    else this.leavers.add(leave);
    return () => {
      this.leavers.delete(leave);
    };
  }

  /**
   * Resolves when the events have ended, also when the client disconnects (`Call.signal`). At shutdown the client is asked
   * to reconnect.
   */
  async write<E>(raw: ServerResponse, stream: WrittenStream<E>): Promise<StreamOutcome> {
    const response = new SseResponse(raw, this.memory, stream.headers);
    const closed = this.metrics.opened();
    let written = 0;
    try {
      while (await writeNext(response, stream)) written += 1;
    } finally {
      closed(this.endOf(response));
      await stream.events.return?.();
    }
    const how = this.endOf(response);
    response.end(this.leaving ? comeBackMs() : undefined);
    return { how, events: written };
  }

  private endOf(response: SseResponse): StreamEnd {
    if (response.wasCut) return 'stalled';
    if (response.closed) return 'gone';
    return this.leaving ? 'leaving' : 'ended';
  }
}

/**
 * Writes one event; false when there is none any more. A function of its own, so that no event stays in memory while the
 * next is waited for, which may be for hours.
 */
async function writeNext<E>(response: SseResponse, { events, encode }: WrittenStream<E>): Promise<boolean> {
  const next = await events.next();
  if (next.done === true) return false;
  for (const frame of framesOf(next.value, encode)) await response.send(frame);
  return true;
}

/** Only the last text of an event carries its id: a client that resumes there has had all of it. */
function framesOf<E>({ id, name, event }: StreamedFrame<E>, encode: WrittenStream<E>['encode']): readonly SseFrame[] {
  const texts = encode(event);
  return texts.map((data, at) => ({ id: at < texts.length - 1 ? undefined : id, name, data }));
}

/** When the client of a leaving process is to come back, in milliseconds. */
export function comeBackMs(): number {
  return COME_BACK_MS.least + Math.floor(Math.random() * (COME_BACK_MS.most - COME_BACK_MS.least));
}
