import type { StreamEnd } from '../../operation/call.js';
import type { SseFrame, SseResponse } from './sse-response.js';
import type { StreamMetrics } from './stream.metrics.js';

/** Clients of a leaving process come back spread over this time, not all at once. */
const COME_BACK_MS = { least: 500, most: 3_000 } as const;

/** The end of a stream, and the number of sent events. */
export interface StreamOutcome {
  readonly how: StreamEnd;
  readonly events: number;
}

/** One event stream to one client, counted from its head to its end. Every stream over HTTP is written here, whatever feeds it. */
export class OpenStream {
  private readonly closed: (how: StreamEnd) => void;
  private ended: StreamEnd | undefined;

  constructor(
    private readonly response: SseResponse,
    metrics: StreamMetrics,
  ) {
    this.closed = metrics.opened();
  }

  /** Writes a frame; resolves when the next one may be written. A client that has gone gets nothing. */
  send(frame: SseFrame): Promise<void> {
    return this.response.send(frame);
  }

  /** How the stream has ended, or would now. */
  get how(): StreamEnd {
    return this.ended ?? this.endOf(false);
  }

  /** Counts the end, once. @param isLeft whether the process leaves its client */
  close(isLeft = false): StreamEnd {
    if (this.ended !== undefined) return this.ended;
    this.ended = this.endOf(isLeft);
    this.closed(this.ended);
    return this.ended;
  }

  /** Ends the stream. A client that is left is asked to come back: its task continues at other processes. */
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

/** Milliseconds until the client of a leaving process is to come back. */
function comeBackMs(): number {
  return COME_BACK_MS.least + Math.floor(Math.random() * (COME_BACK_MS.most - COME_BACK_MS.least));
}
