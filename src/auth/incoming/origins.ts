/** Whether a text is an origin as browsers write it: scheme, host and port. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** The members of a list in a variable, separated by commas or white space. */
export function listOf(text = ''): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
