import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { OpenStream, type StreamOutcome } from './open-stream.js';
import { type SseFrame, SseResponse } from './sse-response.js';
import { StreamMemory } from './stream-memory.js';
import { StreamMetrics } from './stream.metrics.js';

interface StreamedFrame<E> {
  readonly id?: string;
  readonly name?: string;
  readonly event: E;
}

/** A binding's stream: events, and their encoding. */
export interface WrittenStream<E> {
  readonly events: AsyncIterator<StreamedFrame<E>, void, void>;
  /** The texts of one event, in the caller's dialect. */
  readonly encode: (event: E) => readonly string[];
  /** More response headers: alternating names and values. */
  readonly headers?: readonly string[];
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

  /** Whether the process is shutting down: clients of running tasks must reconnect. */
  get isLeaving(): boolean {
    return this.leaving;
  }

  /** Opens a stream for pushed events. @param headers more response headers: alternating names and values */
  open(raw: ServerResponse, headers?: readonly string[]): OpenStream {
    return new OpenStream(new SseResponse(raw, this.memory, headers), this.metrics);
  }

  /** Calls back at shutdown, for events that do not end by themselves. The returned function removes the callback. */
  whenLeaving(leave: () => void): () => void {
    if (this.leaving) leave();
    else this.leavers.add(leave);
    return () => {
      this.leavers.delete(leave);
    };
  }

  /**
   * Resolves when the events have ended, also when the client disconnects (`Call.signal`). At shutdown the client is
   * asked to reconnect.
   */
  async write<E>(raw: ServerResponse, stream: WrittenStream<E>): Promise<StreamOutcome> {
    const open = this.open(raw, stream.headers);
    let events = 0;
    try {
      while (await writeNext(open, stream)) events += 1;
    } finally {
      open.close(this.leaving);
      await stream.events.return?.();
    }
    return { how: open.end(this.leaving), events };
  }
}

/**
 * Writes one event; false when there is none any more. A separate function, so that no event stays in memory while the
 * next one is awaited, possibly for hours.
 */
async function writeNext<E>(open: OpenStream, { events, encode }: WrittenStream<E>): Promise<boolean> {
  const next = await events.next();
  if (next.done === true) return false;
  for (const frame of framesOf(next.value, encode)) await open.send(frame);
  return true;
}

/** Only the last text of an event carries its id: a client that resumes there has received all of it. */
function framesOf<E>({ id, name, event }: StreamedFrame<E>, encode: WrittenStream<E>['encode']): readonly SseFrame[] {
  const texts = encode(event);
  return texts.map((data, at) => ({ id: at < texts.length - 1 ? undefined : id, name, data }));
}
