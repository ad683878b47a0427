/** A text as one word of a POSIX shell: what others have said goes into commands to copy as nothing but text. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
