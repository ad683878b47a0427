/**
 * Builds dist/ when something in src/, in skills/ or in the build's settings is newer than it, and does nothing
 * otherwise. Overwrites existing files and deletes none: a service that runs from them continues.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh, markBuilt } from './support/freshness.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Sources of a package. */
const SOURCE_PARTS = ['src', 'package.json', 'tsconfig.build.json'];
const PROJECTS = ['packages/tsconfig.build.json', 'tsconfig.build.json', 'tsconfig.skills.json'];
const SOURCES = [
  'src',
  ...packageSources(),
  'skills',
  'nest-cli.json',
  'tsconfig.json',
  ...PROJECTS,
  'package-lock.json',
];
/** The pages, and the sources that they share with the service. */
const SHARED = ['packages/protocol/src', 'packages/client/src', 'src/admin/snapshots'];
const CONSOLE = ['console', ...SHARED, 'package-lock.json'];
const STAMP = 'dist/.built';

const place = { root: ROOT, sources: SOURCES, stamp: STAMP };
if (!isFresh(place)) {
  const began = new Date();
  process.stderr.write('Compiling the service into dist/, which takes half a minute …\n');
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  // The skills are compiled against the declarations of the service, as an author compiles them.
  for (const project of PROJECTS) {
    const { status } = spawnSync(process.execPath, [compiler, '--build', project], { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  dropOldPacks();
  copyAssets();
  // A file changed during the build is newer than its beginning.
  markBuilt(place, began);
}

buildConsole();

/** Compiled output of the packages that others install. */
function packageSources() {
  const names = readdirSync(join(ROOT, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [
    'packages/tsconfig.package.json',
    ...names.flatMap(({ name }) => SOURCE_PARTS.map((part) => `packages/${name}/${part}`)),
  ];
}

/** The pages of the console, apart: a change of theirs does not build the service anew. */
function buildConsole() {
  const pages = { root: ROOT, sources: CONSOLE, stamp: 'dist/console/.built' };
  if (isFresh(pages)) return;
  const began = new Date();
  const { status } = spawnSync(process.execPath, [join(ROOT, 'console/build.mjs')], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  markBuilt(pages, began);
}

/** A pack or a file whose source is gone must not be loaded any more: the service takes every folder of dist/skills, and its skills. */
function dropOldPacks() {
  const built = join(ROOT, 'dist/skills');
  for (const name of readdirSync(built, { recursive: true, encoding: 'utf8' })) {
    const source = join(ROOT, 'skills', name.replace(/\.js$/, '.ts'));
    const isPack = !name.includes('.') && !/[\\/]/.test(name);
    if ((isPack || name.endsWith('.js')) && !existsSync(source))
      rmSync(join(built, name), { recursive: true, force: true });
  }
}

/** Files that run uncompiled: the scripts of Redis, and programs for threads and processes of their own (nest-cli.json). */
function copyAssets() {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.(lua|mjs)$/.test(name))) {
    cpSync(join(ROOT, 'src', file), join(ROOT, 'dist', file));
  }
}
