#!/usr/bin/env node
import { ConfigError } from '../platform/config/config-error.js';
import { OperatorError } from './ops/operator-error.js';
import { createProgram } from './program.js';

/** By name: classes of the service are loaded with the commands that need them. */
function isExpected(error: unknown): error is Error {
  if (error instanceof OperatorError || error instanceof ConfigError) return true;
  return error instanceof Error && ['SkillPackError', 'EmbeddedRedisError'].includes(error.name);
}

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!isExpected(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
