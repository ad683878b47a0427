import type { ServerResponse } from 'node:http';

/** Keeps proxies from cutting a silent stream; idle hops close after 60 s. */
const HEARTBEAT_MS = 15_000;
/** Bytes that may wait for a slow reader in this process; its later events stay in the log. */
const MOST_BUFFERED = 64 * 1024;
/** A reader that takes nothing for this long is cut; it can resume with `Last-Event-ID`. */
const STALLED_MS = 30_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
} as const;

export interface SseFrame {
  readonly id?: string;
  /** One line: JSON has no raw line breaks. */
  readonly data: string;
}

/** One open event stream (WHATWG Server-Sent Events) to one client. */
export class SseResponse {
  private readonly heartbeat: NodeJS.Timeout;
  private stalled = false;

  constructor(
    private readonly response: ServerResponse,
    headers: Readonly<Record<string, string>> = {},
  ) {
    response.writeHead(200, { ...HEADERS, ...headers });
    // The head leaves in one write with what is there at once, which is the first frame at least.
    response.cork();
    response.flushHeaders();
    process.nextTick(() => {
      response.uncork();
    });
    this.heartbeat = setInterval(() => response.write(': ping\n\n'), HEARTBEAT_MS);
    this.heartbeat.unref();
    response.on('close', () => {
      clearInterval(this.heartbeat);
    });
  }

  /** Whether the reader took nothing for so long that it was cut. */
  get wasCut(): boolean {
    return this.stalled;
  }

  get closed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Writes a frame; resolves when there is room for the next, so that a slow reader slows its source. */
  async send(frame: SseFrame): Promise<void> {
    const id = frame.id === undefined ? '' : `id: ${frame.id}\n`;
    this.response.write(`${id}data: ${frame.data}\n\n`);
    if (this.response.writableLength > MOST_BUFFERED) await this.drained();
  }

  /** Ends the stream. With `retryMs` the client is asked to come back: the task goes on elsewhere. */
  end(retryMs?: number): void {
    clearInterval(this.heartbeat);
    if (this.closed) return;
    this.response.end(retryMs === undefined ? undefined : `retry: ${String(retryMs)}\n: going away\n\n`);
  }

  private async drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => {
        this.stalled = true;
        this.response.destroy();
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
