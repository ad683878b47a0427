/** Thrown when the document cannot be taken as an invoice. The message is for the caller: the fault and its remedy. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
