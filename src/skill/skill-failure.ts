/** Fails the task with a text for the caller. Any other error is retried, then fails with a reference id only. */
export class SkillFailure extends Error {
  override readonly name: string = 'SkillFailure';
}
