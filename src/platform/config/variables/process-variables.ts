/**
 * The unvalidated variables of the process: for commands with names of their own, and for values that no text may show.
 */
export function processVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
