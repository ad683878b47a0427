import { WorkerProcess } from './worker-process.js';

/** A process that reads streams; it ends with the work. */
export async function withReaders<T>(work: (readers: WorkerProcess) => Promise<T>): Promise<T> {
  const readers = new WorkerProcess('./readers.mjs');
  try {
    return await work(readers);
  } finally {
    await readers.stop();
  }
}
