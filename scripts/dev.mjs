/**
 * `npm run start:dev`: compiles what changes in src/ and skills/, and starts the service again with it.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const tsc = ['node_modules/typescript/bin/tsc', '--watch', '--preserveWatchOutput', '--project'];
const programs = [
  [...tsc, 'tsconfig.build.json'],
  [...tsc, 'tsconfig.skills.json'],
  ['--watch', '--watch-path=dist', '--enable-source-maps', 'dist/main.js'],
];
const children = programs.map((program) => spawn(process.execPath, program, { cwd: ROOT, stdio: 'inherit' }));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
for (const child of children) {
  child.on('exit', () => {
    for (const other of children) other.kill();
  });
}
