/** How a worker process runs skills. */
export interface WorkerOptions {
  /** Runs at the same time in this process. */
  readonly concurrency: number;
  /** How long running skills may go on after SIGTERM before their tasks are handed to another worker. */
  readonly drainMs: number;
}

/** Injection token of the options. */
export const WorkerOptions = Symbol('WorkerOptions');
