import { type ServiceError, status } from '@grpc/grpc-js';
import type { StreamMemory } from '../sse/stream-memory.js';

/** A reader that accepts nothing for this long is disconnected; it can subscribe again. */
const STALLED_MS = 30_000;
/**
 * gRPC does not report the progress within a message, so a large message gets more time, at this rate in bytes per
 * millisecond.
 */
const LEAST_RATE = 16;
/** Smaller messages are not counted: all streams of a process together hold little of them. */
const LARGE = 64 * 1024;

/** The used part of a grpc-js server stream. */
export interface WritableCall {
  readonly cancelled: boolean;
  readonly destroyed: boolean;
  write(message: Buffer): boolean;
  end(): unknown;
  emit(event: 'error', error: Partial<ServiceError>): boolean;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** One open server stream to one client: no faster than its reader, and silent after the reader has gone. */
export class GrpcStream {
  private over = false;

  constructor(
    private readonly call: WritableCall,
    private readonly memory: StreamMemory,
  ) {}

  /** Whether the reader is gone. */
  get closed(): boolean {
    return this.over || this.call.cancelled || this.call.destroyed;
  }

  /** Writes a message; resolves when the next may be written (backpressure). */
  async send(message: Buffer): Promise<void> {
    if (this.closed) return;
    const free = message.length > LARGE ? this.memory.hold(message.length, this.cut) : undefined;
    if (!this.call.write(message)) await this.drained(STALLED_MS + message.length / LEAST_RATE);
    free?.();
  }

  end(): void {
    if (this.closed) return;
    this.over = true;
    this.call.end();
  }

  /** Ends the stream with an error: grpc-js takes the status from an 'error' event, and only from that. */
  fail(error: Partial<ServiceError>): void {
    if (this.closed) return;
    this.over = true;
    this.call.emit('error', error);
  }

  private readonly cut = (): void => {
    this.fail({ code: status.ABORTED, details: 'The reader is too slow: subscribe again' });
  };

  private async drained(longestMs: number): Promise<void> {
    const ends = ['drain', 'cancelled', 'close'];
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(stalled);
        for (const event of ends) this.call.off(event, done);
        resolve();
      };
      const stalled = setTimeout(() => {
        this.cut();
        done();
      }, longestMs);
      for (const event of ends) this.call.on(event, done);
    });
  }
}
