import { Worker } from 'node:worker_threads';
import { UnreadableDocument } from '../document/unreadable-document.js';
import type { Invoice } from '../invoice.js';
import type { PdfLimits } from '../pdf/pdf-limits.js';
import type { ReaderOrder, ReaderReply } from './reader-message.js';
import { tooMuchMemory } from './reading-watch.js';

/** Tests run the TypeScript sources as they are. */
const FROM_SOURCES = import.meta.url.endsWith('.ts');

/** How far a reader is, in words for the caller. */
export type Report = (progress: string) => void;

export interface Listening {
  readonly report: Report;
  /** Ends the reading, with its reason. */
  readonly signal: AbortSignal;
}

/**
 * A thread that reads one document after the other. It never ends by itself, so whatever it has said arrives: a thread
 * that ends after its last message can be overtaken by its own end.
 */
export class ReaderThread {
  private readonly worker: Worker;
  private hasEnded = false;

  constructor({ maxMemoryBytes }: PdfLimits) {
    this.worker = new Worker(new URL(FROM_SOURCES ? './thread-entry.ts' : './thread-entry.js', import.meta.url), {
      // The heap of the thread; buffers are outside of it and are watched by `watchReading`.
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(maxMemoryBytes / 2 ** 20) },
      // Whatever reads a stranger's file needs none of our settings.
      env: {},
      execArgv: loaders(),
    });
    // A fault between two readings must not end the process; the thread is not used again.
    this.worker.on('error', () => undefined);
    this.worker.once('exit', () => {
      this.hasEnded = true;
    });
    // An idle thread must not keep the process; a reading is kept by its watch.
    this.worker.unref();
  }

  /** Whether it can be sent a document. */
  get isAlive(): boolean {
    return !this.hasEnded;
  }

  /** Reads one document. Throws `UnreadableDocument`, the signal's reason, or the thread's error; then the thread must be ended. */
  read(order: ReaderOrder, { report, signal }: Listening): Promise<Invoice> {
    return new Promise<Invoice>((resolve, reject) => {
      const onMessage = (reply: ReaderReply): void => {
        if (reply.kind === 'progress') report(reply.text);
        else settle(() => (reply.kind === 'read' ? resolve(reply.invoice) : reject(reasonOf(reply))));
      };
      const onError = (error: unknown): void =>
        settle(() => reject(isOutOfMemory(error) ? tooMuchMemory() : asError(error)));
      const onExit = (): void => settle(() => reject(new Error('The reading thread ended before its work did')));
      const onAbort = (): void => settle(() => reject(asError(signal.reason)));
      const settle = (how: () => void): void => {
        this.worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        signal.removeEventListener('abort', onAbort);
        how();
      };
      this.worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      signal.addEventListener('abort', onAbort);
      this.worker.postMessage(order);
    });
  }

  /** Ends the thread wherever it is. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

function reasonOf(reply: Extract<ReaderReply, { kind: 'refused' | 'broke' }>): Error {
  if (reply.kind === 'refused') return new UnreadableDocument(reply.reason);
  return new Error('The document broke its reader', { cause: reply.error });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** A process that runs from the TypeScript sources, as tests do, has a loader for them, and the thread needs it too. */
function loaders(): string[] {
  return FROM_SOURCES ? process.execArgv.filter((argument) => argument.startsWith('--import=')) : [];
}
