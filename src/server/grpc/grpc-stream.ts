import { type ServiceError, status } from '@grpc/grpc-js';

/** A reader that takes nothing for this long is given up; it can subscribe again. */
const STALLED_MS = 30_000;

/** The part of a grpc-js server stream that is used here. */
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

  constructor(private readonly call: WritableCall) {}

  /** Whether nobody reads any more. */
  get closed(): boolean {
    return this.over || this.call.cancelled || this.call.destroyed;
  }

  /** Writes a message; resolves when there is room for the next, so that a slow reader slows its source. */
  async send(message: Buffer): Promise<void> {
    if (this.closed) return;
    if (!this.call.write(message)) await this.drained();
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

  private async drained(): Promise<void> {
    const ends = ['drain', 'cancelled', 'close'];
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(stalled);
        for (const event of ends) this.call.off(event, done);
        resolve();
      };
      const stalled = setTimeout(() => {
        this.fail({ code: status.ABORTED, details: 'The reader has stalled: subscribe again' });
        done();
      }, STALLED_MS);
      for (const event of ends) this.call.on(event, done);
    });
  }
}
