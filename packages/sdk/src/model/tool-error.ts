/** Thrown by a tool that cannot do what it is asked: the model reads the message, and may do something else. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  /** @param isMistake the arguments are wrong: after a few such calls the model is stopped */
  constructor(
    message: string,
    readonly isMistake = false,
  ) {
    super(message);
  }
}
