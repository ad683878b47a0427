/** The extension by which a task states its usage of language models in its metadata, and the card its budgets. */
export const MODEL_USAGE_EXTENSION = 'urn:parley:extension:model-usage:1';

/** Language model usage of a task; for a root, of all tasks of its tree. */
export interface TaskModelUsage {
  /** Those whose answer was cut included. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the operator's prices; absent where there are none. */
  readonly cost?: number;
}

/** Budgets: of all tasks of a tree together, and of all tasks of a tenant in a day (UTC). */
export interface ModelUsageLimits {
  readonly tokens: number;
  readonly calls: number;
  readonly cost?: number;
  /** Absent: no limit. */
  readonly daily?: { readonly tokens?: number; readonly cost?: number };
}
