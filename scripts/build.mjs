/**
 * Builds dist/ when something in src/ or in the build's settings is newer than it, and does nothing otherwise. What is
 * there is overwritten and never deleted: a service that runs from it goes on.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh, markBuilt } from './support/freshness.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['src', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
const STAMP = 'dist/.built';

const place = { root: ROOT, sources: SOURCES, stamp: STAMP };
if (!isFresh(place)) {
  const began = new Date();
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  copyAssets();
  // What was changed during the build is newer than its beginning.
  markBuilt(place, began);
}

/** What is run as it is: the scripts of Redis, and programs for threads and processes of their own (nest-cli.json). */
function copyAssets() {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.(lua|mjs)$/.test(name))) {
    cpSync(join(ROOT, 'src', file), join(ROOT, 'dist', file));
  }
}
