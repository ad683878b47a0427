import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OperatorError } from '../ops/operator-error.js';

/** Flags of Node for programs that import TypeScript. */
export const TYPESCRIPT_FLAGS: readonly string[] = [
  '--enable-source-maps',
  '--import',
  new URL('../../platform/typescript/register.mjs', import.meta.url).href,
];

/** Path of the project's compiler. Throws `OperatorError`. */
export function compilerPath(): string {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve('typescript/bin/tsc');
    } catch {
      // Try the next location; the error is thrown below.
    }
  }
  throw new OperatorError('The TypeScript compiler is missing. Install it: npm install --save-dev typescript');
}
