/** Lifetimes and limits of tasks; times in milliseconds. */
export interface TaskOptions {
  /** Key prefix. */
  readonly keyPrefix: string;
  /** A run that is silent for longer is lost, and another worker gets the task. */
  readonly leaseMs: number;
  /** Lost runs of one turn without progress after which the task fails. */
  readonly maxAttempts: number;
  /** A skill that has not stopped this long after a cancel is canceled without it. */
  readonly cancelGraceMs: number;
  /** Retention of an ended task. */
  readonly terminalTtlMs: number;
  /** The same for a task that no skill accepted. */
  readonly rejectedTtlMs: number;
  /** How long a task waits for an answer before it fails. */
  readonly interruptedTtlMs: number;
  /** How long a task may wait for its first run before it fails. */
  readonly stuckTtlMs: number;
  /** Messages per task, its own included. */
  readonly mostMessages: number;
  /** Maximum bytes that callers and skill may store in one task. */
  readonly mostBytes: number;
  /** Maximum bytes and entries of the journal of one task. */
  readonly mostJournalBytes: number;
  readonly mostJournalEntries: number;
  /** Maximum bytes and number of the values that skills store per context. */
  readonly mostContextBytes: number;
  readonly mostContextValues: number;
  /** Messages of earlier turns passed to a run. */
  readonly historyForRun: number;
  /** Limits of a tree: levels below its root, children per task, and tasks in total. */
  readonly mostDepth: number;
  readonly mostChildren: number;
  readonly mostTreeTasks: number;
  /** Maximum hand-overs of a tree's conversation. */
  readonly mostTransfers: number;
  /** Limits of language models: tokens, money (millionths; absent: no limit) and calls of all tasks of a tree. */
  readonly mostTreeTokens: number;
  readonly mostTreeMicros?: number;
  readonly mostTreeCalls: number;
  /** Tokens and money of a tenant per day; absent: no limit. */
  readonly mostTenantTokens?: number;
  readonly mostTenantMicros?: number;
  /** Time for which a root does not show questions of its tree while other tasks of the tree can continue. */
  readonly askAfterMs: number;
}

/** Bytes and entries of a journal reserved for the turn that undoes a task's work. */
const UNDO_BYTES = 1_048_576;
const UNDO_ENTRIES = 10_000;

export const TASK_DEFAULTS = {
  // One command per beat renews the leases of all runs of a process, so a short lease is cheap.
  leaseMs: 3_000,
  maxAttempts: 3,
  cancelGraceMs: 10_000,
  terminalTtlMs: 7 * 86_400_000,
  rejectedTtlMs: 3_600_000,
  interruptedTtlMs: 30 * 86_400_000,
  stuckTtlMs: 86_400_000,
  mostMessages: 1_000,
  mostBytes: 64 * 1_048_576,
  mostJournalBytes: 2 * 1_048_576,
  mostJournalEntries: 10_000,
  mostContextBytes: 1_048_576,
  mostContextValues: 10_000,
  historyForRun: 50,
  mostDepth: 8,
  mostChildren: 1_000,
  mostTreeTasks: 10_000,
  mostTransfers: 10,
  mostTreeTokens: 2_000_000,
  mostTreeCalls: 500,
  askAfterMs: 5_000,
} as const satisfies Omit<TaskOptions, 'keyPrefix'>;

/** Injection token of the options. */
export const TaskOptions = Symbol('TaskOptions');

/** A month beyond the time at which a task can be read: a safety net below the purge, which knows the task's lists. */
export const NET_MS = 30 * 86_400_000;

/** A waiting task may wait a year, and its children exist as long. */
const YEAR_MS = 366 * 86_400_000;

/** The TTL of a child's keys, ms: its root's purge removes it earlier. */
export function childTtlOf(options: TaskOptions): number {
  return ttlOf(options) + YEAR_MS;
}

/** Retention of an ended task, ms. A child is removed with its root. */
export function keptMs(options: TaskOptions, { tree }: { readonly tree?: unknown }): number {
  return tree === undefined ? options.terminalTtlMs : childTtlOf(options);
}

/** The TTL of a task's keys, ms: renewed with every turn. */
export function ttlOf({ stuckTtlMs, interruptedTtlMs, terminalTtlMs }: TaskOptions): number {
  return Math.max(0, stuckTtlMs) + Math.max(0, interruptedTtlMs) + Math.max(0, terminalTtlMs) + NET_MS;
}

/** Maximum size of a task's journal; the turn that undoes finished work has room when it is full. */
export function journalLimits(
  { mostJournalBytes, mostJournalEntries }: TaskOptions,
  { isUndoing }: { readonly isUndoing: boolean },
): { readonly maxJournalBytes: number; readonly maxJournalEntries: number } {
  if (!isUndoing) return { maxJournalBytes: mostJournalBytes, maxJournalEntries: mostJournalEntries };
  return { maxJournalBytes: mostJournalBytes + UNDO_BYTES, maxJournalEntries: mostJournalEntries + UNDO_ENTRIES };
}
