import { CommanderError } from 'commander';
import { printableJson } from '@parley/protocol/json/printable.js';
import { CliError, EXIT, usageError } from './cli-error.js';
import { surroundingsOf } from './command-context.js';

/**
 * Prints the error that ended the program before or outside of a caller's command, and returns the exit status.
 * Rethrows an unexpected error, with its stack.
 * @param isExpected errors of other commands of the program, whose message says all
 */
export function reportFailure(
  error: unknown,
  args: readonly string[],
  isExpected: (error: Error) => boolean = () => false,
): number {
  const { out, err } = surroundingsOf();
  if (error instanceof Error && isExpected(error)) {
    err(`${error.message}\n`);
    return EXIT.failure;
  }
  // Help and version are no failures; commander has printed them, and its errors for people.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  const failure = error instanceof CommanderError ? usageError(error.message.replace(/^error: /, '')) : error;
  if (!(failure instanceof CliError)) throw failure;
  if (wantsJson(args)) out(`${printableJson(failure.envelope, 2)}\n`);
  else if (error === failure) err(`Error: ${failure.message}\n`);
  return failure.exit;
}

/** Reads the output format from the raw arguments, since the flags could not be parsed. */
function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (arg, at) => /^(-o|--output)=?json$/.test(arg) || (/^(-o|--output)$/.test(arg) && args[at + 1] === 'json'),
  );
}
