/** Settings of the operations. */
export interface OperationOptions {
  /** A blocking call returns the current task after this long (A2A-BLK-02). */
  readonly blockingMs: number;
  /** The same for calls of A2A 0.1, which expect a quick answer; 0 returns at once (D01-11). */
  readonly briefWaitMs: number;
  /** The skill for messages without a skill id. */
  readonly defaultSkillId?: string;
}

/** Injection token of the options. */
export const OperationOptions = Symbol('OperationOptions');
