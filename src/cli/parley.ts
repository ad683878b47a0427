#!/usr/bin/env node
import { reportFailure } from './failure.js';
import { createProgram } from './program.js';

// `parley … | head`: who reads has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, process.argv);
}
