/** Variables of the process, for the commands that are not the service's and have names of their own. */
export function processVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
