import { UnreadableDocument } from '../document/unreadable-document.js';
import type { PdfLimits } from '../pdf/pdf-limits.js';

/** Interval of memory checks, in milliseconds. A decompression bomb unfolds some hundred megabytes a second. */
const WATCH_MS = 20;

/** A signal that aborts when the time or the memory is used up or the run's signal aborts, with the reason. */
export interface ReadingWatch {
  readonly signal: AbortSignal;
  end(): void;
}

/** Watches one reading: the growth of the process is its own, because one document is read at a time. */
export function watchReading(limits: PdfLimits, signal: AbortSignal): ReadingWatch {
  const stop = new AbortController();
  const before = process.memoryUsage.rss();
  const memory = setInterval(() => {
    if (process.memoryUsage.rss() - before > limits.maxMemoryBytes) stop.abort(tooMuchMemory());
  }, WATCH_MS);
  const timer = setTimeout(() => {
    const seconds = String(Math.round(limits.timeoutMs / 1000));
    stop.abort(new UnreadableDocument(`The document could not be read within ${seconds} seconds; it is too complex.`));
  }, limits.timeoutMs);
  const abort = (): void => {
    stop.abort(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  return {
    signal: stop.signal,
    end: () => {
      clearInterval(memory);
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Refuses a document that unfolds in memory. */
export function tooMuchMemory(): UnreadableDocument {
  return new UnreadableDocument(
    'The document needs too much memory to be read; its content is compressed beyond reason.',
  );
}
