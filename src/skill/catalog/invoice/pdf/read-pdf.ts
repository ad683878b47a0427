import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { UnreadableDocument } from '../document/unreadable-document.js';
import type { PdfLimits } from './pdf-limits.js';
import type { PdfOpened, PdfPage, PdfPart } from './pdf-part.js';
import { Turnstile } from './turnstile.js';

/** One PDF at a time in a process: it is CPU work, and its growth in memory can then be told from the rest. */
const TURNSTILE = new Turnstile();

/** How often the memory is looked at, in milliseconds. A decompression bomb unfolds some hundred megabytes a second. */
const WATCH_MS = 20;

const BROKEN = 'The PDF is damaged or is not a PDF; it could not be opened.';

/**
 * Reads a PDF in a thread of its own that is ended when the reader stops listening, the time is over, the memory is
 * used up or the signal aborts. Yields what was opened, then each page. Throws `UnreadableDocument`, or the signal's
 * reason.
 */
export async function* readPdf(
  bytes: Uint8Array,
  limits: PdfLimits,
  signal: AbortSignal,
): AsyncGenerator<PdfOpened | PdfPage, void, void> {
  const leave = await TURNSTILE.enter();
  try {
    signal.throwIfAborted();
    yield* readInThread(bytes, limits, signal);
  } finally {
    leave();
  }
}

async function* readInThread(
  bytes: Uint8Array,
  limits: PdfLimits,
  signal: AbortSignal,
): AsyncGenerator<PdfOpened | PdfPage, void, void> {
  const stop = new AbortController();
  const worker = startThread(bytes, limits);
  const unwatch = watch(limits, signal, stop);
  worker.once('exit', () => {
    stop.abort(new UnreadableDocument(BROKEN));
  });
  try {
    yield* partsOf(worker, stop.signal, limits);
  } catch (error) {
    if (isOutOfMemory(error)) throw tooMuchMemory();
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    unwatch();
    await worker.terminate();
  }
}

function startThread(bytes: Uint8Array, limits: PdfLimits): Worker {
  return new Worker(new URL('./pdf-thread.mjs', import.meta.url), {
    workerData: { bytes, ...limits },
    // The heap of the thread; buffers are outside of it and are watched from here.
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(limits.maxMemoryBytes / 2 ** 20) },
    // Whatever reads a stranger's file needs none of our settings.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
}

async function* partsOf(
  worker: Worker,
  signal: AbortSignal,
  limits: PdfLimits,
): AsyncGenerator<PdfOpened | PdfPage, void, void> {
  for await (const [part] of on(worker, 'message', { signal }) as AsyncIterable<[PdfPart]>) {
    if (part.kind === 'done') return;
    if (part.kind === 'failed') throw new UnreadableDocument(explained(part, limits));
    yield part;
  }
}

function explained(part: Extract<PdfPart, { kind: 'failed' }>, limits: PdfLimits): string {
  switch (part.reason) {
    case 'password':
      return 'The PDF is encrypted and opens only with a password. Send it without one.';
    case 'pages':
      return `The PDF has ${String(part.pages)} pages; at most ${String(limits.maxPages)} are read.`;
    case 'broken':
      return BROKEN;
  }
}

/** Aborts `stop` when the time or the memory is used up or the caller's signal aborts. */
function watch(limits: PdfLimits, signal: AbortSignal, stop: AbortController): () => void {
  const before = process.memoryUsage.rss();
  const memory = setInterval(() => {
    if (process.memoryUsage.rss() - before > limits.maxMemoryBytes) stop.abort(tooMuchMemory());
  }, WATCH_MS);
  const timer = setTimeout(() => {
    const seconds = String(Math.round(limits.timeoutMs / 1000));
    stop.abort(new UnreadableDocument(`The PDF could not be read within ${seconds} seconds; it is too complex.`));
  }, limits.timeoutMs);
  const abort = (): void => {
    stop.abort(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  return () => {
    clearInterval(memory);
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchMemory(): UnreadableDocument {
  return new UnreadableDocument('The PDF needs too much memory to be read; its content is compressed beyond reason.');
}
