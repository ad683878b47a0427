#!/usr/bin/env node
import { reportFailure } from './failure.js';
import { createProgram } from './program.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error, process.argv);
}
