/** A text as one word of a POSIX shell: text of others in a command to copy runs nothing. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same for a word that is no value of an option: one that begins like an option is none. */
export function shellArgument(text: string): string {
  return text.startsWith('-') ? `-- ${shellWord(text)}` : shellWord(text);
}
