import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../ops/operator-error.js';
import type { Output } from '../ops/output.js';

const PACKAGE_ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TEMPLATE = join(PACKAGE_ROOT, 'template');
const NAME = /^[a-z][a-z0-9-]{0,63}$/;
/** Names of Parley's own packages. */
const OWN = /^parley$|^@parley\/(?!skills-)/;

/** The members of a package file used here. */
interface PackageFile {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Writes a new agent into a folder that is empty or does not exist. Throws `OperatorError`. */
export function newAgent(target: string): Output {
  const folder = resolve(target);
  const name = basename(folder);
  if (!NAME.test(name)) {
    throw new OperatorError(`"${name}" cannot be the name of a package: lower case letters, digits and "-" only.`);
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new OperatorError(`The folder ${folder} is not empty: choose another name.`);
  }
  const files = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) copyFile(join(entry.parentPath, entry.name), folder, name);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageFile(folder, name), undefined, 2)}\n`);
  const shown = relative(process.cwd(), folder);
  const next = [`cd ${shown}`, 'npm install', 'npm test', 'npm run dev'].map((line) => `  ${line}`).join('\n');
  return { json: { folder }, text: `The agent ${name} is in ${shown}/. Next:\n\n${next}\n` };
}

/**
 * Names in the template: `dot-` becomes a dot, for files that npm omits; `.template` hides a file from our own tools.
 */
function copyFile(from: string, folder: string, name: string): void {
  const place = relative(TEMPLATE, from)
    .replaceAll(/(^|\/)dot-/g, '$1.')
    .replace(/\.template$/, '');
  const to = join(folder, place);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, readFileSync(from, 'utf8').replaceAll('my-agent', name));
}

function packageFile(folder: string, name: string): object {
  const own = readPackage(join(PACKAGE_ROOT, 'package.json'));
  const versions = { ...own.dependencies, ...own.devDependencies };
  const { typescript, '@types/node': types, 'class-validator': validator, 'class-transformer': transformer } = versions;
  return {
    name,
    version: '0.1.0',
    description: `The agent ${name}.`,
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      dev: 'parley dev',
      test: 'parley test',
      check: 'tsc --noEmit',
      build: 'parley build',
      start: 'parley start',
      doctor: 'parley ops doctor',
    },
    // Contracts use their decorators; the version of Parley avoids a second copy.
    dependencies: { 'class-transformer': transformer, 'class-validator': validator, ...parleyFor(folder) },
    devDependencies: { '@types/node': types, typescript },
  };
}

/**
 * The packages of Parley for a new project, from this installation. Tarballs are copied into the project, so that
 * images and CI find them; a clone is linked.
 */
function parleyFor(folder: string): Record<string, string> {
  const installedBy = resolve(PACKAGE_ROOT, '../..');
  const installed = existsSync(join(installedBy, 'package.json'))
    ? Object.entries(readPackage(join(installedBy, 'package.json')).dependencies ?? {}).filter(([name]) =>
        OWN.test(name),
      )
    : [];
  if (installed.length === 0) {
    const clone = relative(folder, PACKAGE_ROOT);
    return { '@parley/sdk': `file:${join(clone, 'packages/sdk')}`, parley: `file:${clone}` };
  }
  return Object.fromEntries(installed.map(([name, spec]) => [name, specFor(spec, installedBy, folder)]));
}

/** The specifier for the project `folder` of a package that `installedBy` has as `spec`. */
function specFor(spec: string, installedBy: string, folder: string): string {
  if (!spec.startsWith('file:')) return spec;
  const tarball = resolve(installedBy, spec.slice('file:'.length));
  if (!tarball.endsWith('.tgz')) return `file:${relative(folder, tarball)}`;
  const copy = join('vendor', basename(tarball));
  cpSync(tarball, join(folder, copy));
  return `file:${copy}`;
}

function readPackage(path: string): PackageFile {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
}
