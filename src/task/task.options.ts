/** How long things of a task last; all in milliseconds. */
export interface TaskOptions {
  /** What every key begins with. */
  readonly keyPrefix: string;
  /** A run that is silent for longer is lost, and another worker gets the task. */
  readonly leaseMs: number;
  /** After this the sweep adds the job of a task again that no worker has claimed. */
  readonly jobGraceMs: number;
  /** Lost runs of one turn after which the task fails. */
  readonly maxAttempts: number;
  /** A skill that has not stopped this long after a cancel is overruled. */
  readonly cancelGraceMs: number;
  /** How long a finished task can be read. */
  readonly terminalTtlMs: number;
  /** How long a task waits for an answer before it fails. */
  readonly interruptedTtlMs: number;
  /** How long a task may wait for its first run before it fails. */
  readonly stuckTtlMs: number;
  /** How long a repeated message is recognised. */
  readonly sentTtlMs: number;
}

export const TASK_DEFAULTS = {
  leaseMs: 8_000,
  jobGraceMs: 5_000,
  maxAttempts: 3,
  cancelGraceMs: 10_000,
  terminalTtlMs: 7 * 86_400_000,
  interruptedTtlMs: 30 * 86_400_000,
  stuckTtlMs: 86_400_000,
  sentTtlMs: 86_400_000,
} as const satisfies Omit<TaskOptions, 'keyPrefix'>;

/** Injection token of the options. */
export const TaskOptions = Symbol('TaskOptions');
