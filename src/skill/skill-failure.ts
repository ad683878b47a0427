/** Fails the task with a text for the caller. Any other error is retried, then fails with a reference id only. */
export class SkillFailure extends Error {
  override readonly name: string = 'SkillFailure';
}

/** Rejects the task with a text for the caller, as `rejected` does, from anywhere in a skill. */
export class SkillRejection extends SkillFailure {
  override readonly name: string = 'SkillRejection';
}
