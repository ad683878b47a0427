import type { StreamEnd } from '../../operations/call.js';
import type { SseFrame, SseResponse } from './sse-response.js';
import type { StreamMetrics } from './stream.metrics.js';

/** Delay in which clients of a process that shuts down reconnect, to spread them. */
const COME_BACK_MS = { least: 500, most: 3_000 } as const;

/** The end of a stream, and the number of sent events. */
export interface StreamOutcome {
  readonly how: StreamEnd;
  readonly events: number;
}

/**
 * One event stream to one client, counted from its head to its end. All streams over HTTP are written by this class.
 */
export class OpenStream {
  private readonly closed: (how: StreamEnd) => void;
  private ended: StreamEnd | undefined;

  constructor(
    private readonly response: SseResponse,
    metrics: StreamMetrics,
  ) {
    this.closed = metrics.opened();
  }

  /** Writes a frame; resolves when the next one may be written. A client that has disconnected gets nothing. */
  send(frame: SseFrame): Promise<void> {
    return this.response.send(frame);
  }

  /** The outcome of the stream so far. */
  get how(): StreamEnd {
    return this.ended ?? this.endOf(false);
  }

  /** Counts the end, once. @param isLeft whether the process shuts down */
  close(isLeft = false): StreamEnd {
    if (this.ended !== undefined) return this.ended;
    this.ended = this.endOf(isLeft);
    this.closed(this.ended);
    return this.ended;
  }

  /** Ends the stream. At shutdown the client is asked to reconnect: its task continues at other processes. */
  end(isLeft = false): StreamEnd {
    const how = this.close(isLeft);
    this.response.end(isLeft ? comeBackMs() : undefined);
    return how;
  }

  private endOf(isLeft: boolean): StreamEnd {
    if (this.response.wasCut) return 'stalled';
    if (this.response.closed) return 'gone';
    return isLeft ? 'leaving' : 'ended';
  }
}

/** The reconnect delay for the client of a process that shuts down, in milliseconds. */
function comeBackMs(): number {
  return COME_BACK_MS.least + Math.floor(Math.random() * (COME_BACK_MS.most - COME_BACK_MS.least));
}
