#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { clientCommands } from './command/client-commands.js';
import { endWithReader } from './context/end-with-reader.js';
import { reportFailure } from './context/failure.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

endWithReader();
const program = new Command('parley-client')
  .description('Talks to A2A agents.')
  .version(version, '-v, --version', 'print the version and exit')
  .showHelpAfterError()
  .exitOverride();
clientCommands(program, program.command('task').description('tasks of an agent'));
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, process.argv);
}
