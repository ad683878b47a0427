import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { within } from '@parley/cli/context/command-context.js';
import { reportFailure } from '@parley/cli/context/failure.js';
import { isExpected } from '../../../src/cli/failure.js';
import { createProgram } from '../../../src/cli/program.js';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandSurroundings {
  readonly variables?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly home?: string;
  /** Lines for `chat` and forms. */
  readonly input?: string;
  /** What has been printed so far, for a command that does not end by itself. */
  readonly printed?: { out: string; err: string };
  /** Whether a person is at the keyboard; default no. */
  readonly isTerminal?: boolean;
}

/** Runs `parley` inside of the test, without the settings of the machine. */
export async function parley(
  args: readonly string[],
  {
    variables = {},
    folder = join(tmpdir(), 'none', 'at', 'all'),
    home = folder,
    input = '',
    isTerminal = false,
    printed = { out: '', err: '' },
  }: CommandSurroundings = {},
): Promise<CommandResult> {
  const surroundings = {
    out: (text: string) => (printed.out += text),
    err: (text: string) => (printed.err += text),
    ...{ variables, folder, home, isTerminal, input: Readable.from([input]) },
  };
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await within(surroundings, async () => {
      const program = createProgram();
      quiet(program, surroundings);
      try {
        await program.parseAsync(args, { from: 'user' });
      } catch (error) {
        process.exitCode = reportFailure(error, args, isExpected);
      }
    });
    return { code: process.exitCode, ...printed };
  } finally {
    process.exitCode = before;
  }
}

/** Help and usage errors go where results go. */
function quiet(
  command: ReturnType<typeof createProgram>,
  { out, err }: { out: (t: string) => void; err: (t: string) => void },
) {
  command.configureOutput({ writeOut: out, writeErr: err });
  for (const one of command.commands) quiet(one, { out, err });
}
