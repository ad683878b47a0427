/** A command cannot do what it was asked; the message is for the operator and says what to change. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
