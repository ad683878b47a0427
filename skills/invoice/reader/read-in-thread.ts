import type { InvoiceDocument } from '../document/invoice-document.js';
import { UnreadableDocument } from '../document/unreadable-document.js';
import type { Invoice } from '../invoice.js';
import type { PdfLimits } from '../pdf/pdf-limits.js';
import { ReaderThread } from './reader-thread.js';
import type { Report } from './reader-thread.js';
import { watchReading } from './reading-watch.js';
import { Turnstile } from './turnstile.js';

export interface ReadOptions {
  readonly pdf: PdfLimits;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** One document at a time in a process: it is CPU work, and its growth in memory can then be attributed. */
const TURNSTILE = new Turnstile();

/** How long a thread without work is kept, in milliseconds: starting one takes 100 ms, and an idle one holds 50 MB. */
const IDLE_MS = 30_000;

let kept: { readonly thread: ReaderThread; readonly timer: NodeJS.Timeout } | undefined;

/**
 * Reads an invoice in the reading thread, which is ended when the time has expired, the memory is used up or the signal
 * aborts: no document holds the event loop of the process. Throws `UnreadableDocument` with the reason, or the signal's.
 */
export async function readInThread(document: InvoiceDocument, options: ReadOptions): Promise<Invoice> {
  const leave = await TURNSTILE.enter(options.signal);
  try {
    return await readNow(document, options);
  } finally {
    leave();
  }
}

async function readNow(document: InvoiceDocument, { pdf, signal, report }: ReadOptions): Promise<Invoice> {
  const thread = takeKept() ?? new ReaderThread(pdf);
  const watch = watchReading(pdf, signal);
  let isSound = false;
  try {
    const invoice = await thread.read({ document, pdf }, { report, signal: watch.signal });
    isSound = true;
    return invoice;
  } catch (error) {
    isSound = error instanceof UnreadableDocument && !watch.signal.aborted;
    throw error;
  } finally {
    watch.end();
    if (isSound) keep(thread);
    else await thread.end();
  }
}

function takeKept(): ReaderThread | undefined {
  clearTimeout(kept?.timer);
  const thread = kept?.thread;
  kept = undefined;
  return thread?.isAlive === true ? thread : undefined;
}

function keep(thread: ReaderThread): void {
  const timer = setTimeout(() => {
    kept = undefined;
    void thread.end();
  }, IDLE_MS);
  timer.unref();
  kept = { thread, timer };
}
