import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Bytes of lines that wait for a slow reader. Further log lines are dropped and counted. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A reader that leaves the pipe full for this long counts as stopped. */
const MAX_WAIT_MS = 2_000;
const RETRY_MS = 20;
/** Merges this many chunks into one: removing the first of a large array costs more than writing it. */
const MANY_PIECES = 1_000;

/** Used to pause within a turn of the event loop. */
const UNCHANGED = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines into a file or a non-blocking pipe. A slow reader delays no log line, and a stopped or closed one does
 * not block the end of the process, as pino's own destination would by retrying for ever.
 */
export class LineOutput implements DestinationStream {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private dropped = 0;
  private isGone = false;
  private isStopped = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(private readonly fd: number) {
    process.once('exit', () => {
      this.sendLast();
    });
  }

  /** Writes a log line, at once or when the reader has room. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes + bytes.length > MAX_WAITING_BYTES) this.dropped += 1;
    else this.add(bytes);
    this.sendSome();
  }

  /** Writes lines before it returns. @throws an Error when they cannot be written */
  writeNow(lines: string): void {
    const bytes = Buffer.from(lines);
    const isOpen = !this.isStopped || this.send();
    this.add(bytes);
    let isWritten = false;
    try {
      isWritten = isOpen && this.sendAll();
    } finally {
      // A partly written line is continued: half a line would corrupt the next one.
      if (!isWritten && this.waiting.at(-1) === bytes) this.takeBack(bytes);
    }
    if (!isWritten) throw new Error('The reader of the standard output has stopped.');
  }

  private add(bytes: Buffer): void {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private takeBack(bytes: Buffer): void {
    this.waiting.pop();
    this.waitingBytes -= bytes.length;
  }

  /** Writes all waiting lines, and waits for the reader. @returns false when it has stopped */
  private sendAll(): boolean {
    const end = performance.now() + MAX_WAIT_MS;
    while (!this.send()) {
      this.isStopped = performance.now() > end;
      if (this.isStopped) return false;
      Atomics.wait(UNCHANGED, 0, 0, RETRY_MS);
    }
    return true;
  }

  /** Flushes at the end of the process. */
  private sendLast(): void {
    try {
      this.sendAll();
    } catch {
      // A full disk: the exit code reports how the process ended, whatever the log contains.
    }
  }

  /** Writes as much as fits, now and when there is more room. */
  private sendSome(): void {
    try {
      if (!this.send()) this.retry ??= setTimeout(() => this.sendRest(), RETRY_MS).unref();
    } catch {
      // A full disk: a failed log line ends no call.
      [this.waiting, this.waitingBytes] = [[], 0];
    }
  }

  private sendRest(): void {
    this.retry = undefined;
    if (this.waiting.length > MANY_PIECES) this.waiting = [Buffer.concat(this.waiting)];
    this.sendSome();
  }

  /** Writes as much as fits. @returns whether that is all @throws the system's error for a file */
  private send(): boolean {
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      const written = this.writeTo(first);
      this.waitingBytes -= written;
      if (written < first.length) {
        this.waiting[0] = first.subarray(written);
        return false;
      }
      this.waiting.shift();
    }
    this.isStopped = false;
    this.reportDropped();
    return true;
  }

  /** @returns the number of bytes written: fewer when the pipe is full, all when it has no reader any more */
  private writeTo(bytes: Buffer): number {
    if (this.isGone || bytes.length === 0) return bytes.length;
    try {
      return writeSync(this.fd, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 0;
      if (code !== 'EPIPE') throw error;
      this.isGone = true;
      return bytes.length;
    }
  }

  private reportDropped(): void {
    if (this.dropped === 0) return;
    const line = { level: 'warn', time: new Date().toISOString(), event: 'log.dropped', lines: this.dropped };
    this.dropped = 0;
    this.write(`${JSON.stringify(line)}\n`);
  }
}

let standard: LineOutput | undefined;

/** The standard output for all lines of the process: serialised, so that lines never interleave. */
export function standardOutput(): LineOutput {
  // Node opens its stream here; from then on a pipe does not block.
  standard ??= new LineOutput(process.stdout.fd);
  return standard;
}
