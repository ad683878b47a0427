/** Options of a worker process. */
export interface WorkerOptions {
  /** Concurrent runs of this process. */
  readonly concurrency: number;
  /** Time for running skills to end after SIGTERM before their tasks are handed to another worker. */
  readonly drainMs: number;
}

/** Injection token of the options. */
export const WorkerOptions = Symbol('WorkerOptions');
