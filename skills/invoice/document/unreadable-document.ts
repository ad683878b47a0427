/** The document cannot be taken as an invoice. The message is for the caller: what is wrong, and what to do about it. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
