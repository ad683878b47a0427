/** A command failed for a reason that the operator can fix; the message says what to change. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
