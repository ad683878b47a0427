/** Variables of the process as they are: for commands that have names of their own, and for values that no text may show. */
export function processVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
