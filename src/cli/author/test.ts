import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { OperatorError } from '../ops/operator-error.js';
import { sourceFiles } from './source-files.js';
import { compilerPath, TYPESCRIPT_FLAGS } from './typescript-runtime.js';

const TEST_FILE = /\.(spec|test)\.[jt]s$/;

/** Runs the tests of the project in Node's own test runner. Resolves with its exit code. */
export async function runTests(given: readonly string[]): Promise<number> {
  const files = given.length > 0 ? given : sourceFiles('.').filter((name) => TEST_FILE.test(name));
  if (files.length === 0) throw new OperatorError('There is no test: name files *.spec.ts.');
  compilerPath();
  const child = spawn(process.execPath, [...TYPESCRIPT_FLAGS, '--test', ...files], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
