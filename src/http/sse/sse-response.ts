import type { ServerResponse } from 'node:http';
import type { StreamMemory } from './stream-memory.js';

/** Keeps proxies from closing a silent stream; idle hops close after 60 s. */
const HEARTBEAT_MS = 15_000;
/** Bytes in the socket's buffer for a slow reader; its later events stay in the log. */
const MAX_BUFFERED = 64 * 1024;
/**
 * A reader that accepts nothing for this long is disconnected; it can resume with `Last-Event-ID`. Events are written
 * in chunks with this time for each, so that a slow reader of a large event is judged by its progress. A kernel accepts
 * the next chunk when about a third of its send buffer (4 MiB at most) is free: a reader that lags needs about 45 kB/s.
 */
const STALLED_MS = 30_000;
/** Characters of a chunk. */
const PIECE = 64 * 1024;

/** Headers of every event stream; its content is for one reader, once. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
};

/** Alternating names and values, the fastest form for Node. */
const HEADERS: readonly string[] = [...Object.entries(EVENT_STREAM_HEADERS).flat(), ...['x-accel-buffering', 'no']];
const NO_HEADERS: readonly string[] = [];

export interface SseFrame {
  readonly id?: string | undefined;
  /** The type of the event; absent: `message`. */
  readonly name?: string | undefined;
  /** One line: JSON has no raw line breaks. */
  readonly data: string;
}

/**
 * Writes the head of an event stream. The connection is kept if the request keeps it (RFC 9112 § 9.6), without a stated
 * lifetime, which would make clients hold the connection of a process that shuts down.
 * @param headers additional ones: alternating names and values
 */
function writeHead(response: ServerResponse, headers: readonly string[]): void {
  response.writeHead(200, HEADERS.concat('connection', response.shouldKeepAlive ? 'keep-alive' : 'close', headers));
}

/**
 * Line ends for readers that split texts like Python, such as httpx-sse before 0.4.2: within JSON they are characters
 * of its strings, and may be escaped there.
 */
const PYTHON_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** The wire text of a frame. */
export function frameText({ id, name, data }: SseFrame): string {
  const text = data.replace(PYTHON_LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${id === undefined ? '' : `id: ${id}\n`}${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** One open event stream (WHATWG Server-Sent Events) to one client. */
export class SseResponse {
  private readonly heartbeat: NodeJS.Timeout;
  private stalled = false;
  private isWithinFrame = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly memory: StreamMemory,
    headers: readonly string[] = NO_HEADERS,
  ) {
    writeHead(response, headers);
    // The head is sent in one write with the available frames, at least the first. The socket is corked instead of the
    // response: since Node 22 the end of a corked response overtakes its frames.
    const { socket } = response;
    socket?.cork();
    response.flushHeaders();
    process.nextTick(() => socket?.uncork());
    this.heartbeat = setInterval(() => {
      if (!this.isWithinFrame) response.write(': ping\n\n');
    }, HEARTBEAT_MS);
    this.heartbeat.unref();
    response.on('close', () => {
      clearInterval(this.heartbeat);
    });
  }

  /** Whether the reader was disconnected because it accepted nothing for too long. */
  get wasCut(): boolean {
    return this.stalled;
  }

  get closed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Writes a frame; resolves when the next may be written (backpressure). */
  async send(frame: SseFrame): Promise<void> {
    const text = frameText(frame);
    if (text.length <= PIECE) await this.write(text);
    else await this.sendLarge(text);
  }

  private async sendLarge(text: string): Promise<void> {
    const free = this.memory.hold(text.length, () => {
      this.cut();
    });
    this.isWithinFrame = true;
    for (const piece of piecesOf(text)) {
      if (this.closed) break;
      await this.write(piece);
    }
    this.isWithinFrame = false;
    free();
  }

  private async write(text: string): Promise<void> {
    this.response.write(text);
    if (this.response.writableLength > MAX_BUFFERED) await this.drained();
  }

  /** Ends the stream. `retryMs` asks the client to reconnect: the task continues at other processes. */
  end(retryMs?: number): void {
    clearInterval(this.heartbeat);
    if (this.closed) return;
    this.response.end(retryMs === undefined ? undefined : `retry: ${String(retryMs)}\n: going away\n\n`);
  }

  private cut(): void {
    this.stalled = true;
    this.response.destroy();
  }

  private async drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => {
        this.cut();
      }, STALLED_MS);
      const done = (): void => {
        clearTimeout(stalled);
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }
}

/** Texts of about `PIECE` characters. Keeps surrogate pairs together: a lone half has no UTF-8. */
function* piecesOf(text: string): Generator<string, void, void> {
  let from = 0;
  while (from < text.length) {
    const isHighHalf = (text.charCodeAt(from + PIECE - 1) & 0xfc00) === 0xd800;
    const to = from + PIECE + (isHighHalf ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}
