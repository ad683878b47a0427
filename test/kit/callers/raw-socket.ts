import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test says exactly what it wants, whatever HTTP thinks of it. */
export class RawSocket {
  private readonly began = performance.now();
  private readonly chunks: Buffer[] = [];
  private readonly ended: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => this.chunks.push(chunk)).on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
  }

  static async open(port: number): Promise<RawSocket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawSocket(socket);
  }

  /** Everything that came back so far. */
  get text(): string {
    return Buffer.concat(this.chunks).toString('latin1');
  }

  /** The statuses of all answers so far. */
  get statuses(): readonly number[] {
    return [...this.text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
  }

  /** Text goes out byte by byte as Latin-1. What the other side no longer reads is lost without a word. */
  write(piece: string | Buffer): this {
    this.socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    return this;
  }

  /** Sends one piece after another, `everyMs` apart, until all are sent or the other side has had enough. */
  async drip(pieces: Iterable<string>, everyMs: number): Promise<void> {
    for (const piece of pieces) {
      if (this.socket.closed || !this.socket.writable) return;
      this.write(piece);
      await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, everyMs))]);
    }
  }

  /** Resolves when the other side has closed the connection, with the milliseconds since it was opened. */
  async closed(withinMs: number): Promise<number> {
    let late: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_resolve, reject) => {
      late = setTimeout(() => {
        reject(new Error(`still open after ${String(withinMs)} ms; it said: ${this.text.slice(0, 500)}`));
      }, withinMs);
    });
    try {
      await Promise.race([this.ended, deadline]);
      return performance.now() - this.began;
    } finally {
      clearTimeout(late);
      this.socket.destroy();
    }
  }
}
