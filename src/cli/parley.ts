#!/usr/bin/env node
import { openFilesFault } from '../platform/config/open-files.js';
import { reportFailure } from '@parley/cli/context/failure.js';
import { endWithReader } from '@parley/cli/context/end-with-reader.js';
import { isExpected } from './failure.js';
import { createProgram } from './program.js';

endWithReader();

/** Commands that load the service. */
const SERVICE_COMMANDS = ['start', 'dev', 'build', 'ops'];
const fault = SERVICE_COMMANDS.includes(process.argv[2] ?? '') ? openFilesFault() : undefined;
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, process.argv, isExpected);
}
