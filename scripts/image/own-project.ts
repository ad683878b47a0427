import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that the project of `parley new` finds beside it: those of this clone. */
const PACKAGES = ['typescript', '@types'];

/**
 * Writes and builds a project as its author does, with `parley new` and `parley build` of this clone.
 * @returns its dist/, the build context of docker/own.Dockerfile
 */
export function builtProject(root: string, folder: string): string {
  const name = 'own-agent';
  const project = join(folder, name);
  rmSync(project, { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const parley = (cwd: string, ...words: readonly string[]): void => {
    const program = join(root, 'dist/cli/parley.js');
    execFileSync(process.execPath, [program, ...words], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  parley(folder, 'new', name);
  const packages = join(project, 'node_modules');
  mkdirSync(packages);
  symlinkSync(root, join(packages, 'parley'));
  for (const one of PACKAGES) symlinkSync(join(root, 'node_modules', one), join(packages, one));
  parley(project, 'build');
  return join(project, 'dist');
}
