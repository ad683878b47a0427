/**
 * Throw it to fail the task with a text for the caller. After any other error the turn is retried, and then fails with
 * a reference id only.
 */
export class SkillFailure extends Error {
  override readonly name: string = 'SkillFailure';

  /** A word for a caller that is a skill too: its `CallFailed` has it as `why`. */
  readonly fault: string | undefined;

  constructor(message: string, { fault, ...options }: ErrorOptions & { readonly fault?: string } = {}) {
    super(message, options);
    this.fault = fault;
  }
}

/** Rejects the task with a text for the caller, as `rejected` does, from anywhere in a skill. */
export class SkillRejection extends SkillFailure {
  override readonly name: string = 'SkillRejection';
}
