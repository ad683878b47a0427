#!/usr/bin/env node
import { openFilesFault } from '../platform/config/open-files.js';
import { reportFailure } from './failure.js';
import { createProgram } from './program.js';

// `parley … | head`: who reads has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

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
  process.exitCode = reportFailure(error, process.argv);
}
