import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Outside of git. */
const CACHE = fileURLToPath(new URL('../../.cache/mcp', import.meta.url));

/** Pinned packages in a folder of their own, installed once. Gives the folder. */
export async function npmPackages(name, packages) {
  const folder = join(CACHE, name);
  const stamp = join(folder, `.installed-${packages.join('+').replaceAll(/[^\w.+-]/g, '_')}`);
  if (await isThere(stamp)) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...packages], {
    cwd: folder,
  });
  await writeFile(stamp, '');
  return folder;
}

/** A pinned Python package in an environment of its own. Gives its interpreter. */
export async function pythonPackage(python, packageName, version) {
  const folder = join(CACHE, `python-${packageName}-${version}`);
  const program = join(folder, 'bin/python');
  const stamp = join(folder, '.installed');
  if (await isThere(stamp)) return program;
  await run(python, ['-m', 'venv', folder]);
  await run(program, ['-m', 'pip', 'install', '--quiet', `${packageName}==${version}`]);
  await writeFile(stamp, '');
  return program;
}

async function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
