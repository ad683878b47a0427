#!/usr/bin/env node
import { ConfigError } from '../platform/config/config-error.js';
import { OperatorError } from './ops/operator-error.js';
import { createProgram } from './program.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
