import { WorkerProcess } from '../system/worker-process.js';

/** A process that reads streams; it ends with the work. */
export async function withReaders<T>(work: (readers: WorkerProcess) => Promise<T>): Promise<T> {
  const readers = new WorkerProcess('../load/readers.mjs');
  try {
    return await work(readers);
  } finally {
    await readers.stop();
  }
}
