/**
 * Removes files from an installed `node_modules` that the service never loads in the image: `node prune-packages.mjs NODE_MODULES`. A stage
 * of docker/Dockerfile runs it, and `npm run check:image` starts the rest.
 */
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files that Node does not load: types, source maps, sources of TypeScript, texts other than licences. */
const NEVER_LOADED = /\.(?:[cm]?ts|tsx|map|flow|markdown)$|^(?!licen[cs]e|notice|third|copying)[^/]*\.md$/i;

/** Folders at the top of a package that are for its developers. */
const FOR_DEVELOPERS = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'doc',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
  '.github',
]);

/** Packages as a whole, and why. */
const PACKAGES = {
  '@types': 'types of TypeScript, which protobufjs depends on',
  'js-redis-server': 'the embedded Redis in memory: the image needs REDIS_URL',
  'lua-redis-wasm': 'only the embedded Redis in memory uses it',
};

/** Builds for browsers and other module systems, next to the one that Node resolves. */
export const OTHER_BUILDS = {
  '@bufbuild/protobuf': ['dist/cjs'],
  '@opentelemetry/*': ['build/esm', 'build/esnext'],
  ajv: ['lib'],
  bullmq: ['dist/esm'],
  'class-transformer': ['bundles', 'esm5', 'esm2015'],
  'class-validator': ['bundles', 'esm5', 'esm2015'],
  'libphonenumber-js': [
    'bundle',
    'es6',
    'es6-modern',
    'source',
    'mobile',
    'examples.mobile.json',
    'examples.mobile.json.js',
  ],
  luxon: ['build/amd', 'build/cjs-browser', 'build/es6', 'build/global', 'src'],
  protobufjs: ['dist'],
  rxjs: ['dist/bundles', 'dist/esm', 'dist/esm5', 'src'],
};

/** Removes it, also from packages of packages. @param {string} nodeModules */
export function prune(nodeModules) {
  for (const name of Object.keys(PACKAGES)) rmSync(join(nodeModules, name), { recursive: true, force: true });
  for (const { name, folder } of packagesIn(nodeModules)) {
    for (const build of buildsOf(name)) rmSync(join(folder, build), { recursive: true, force: true });
    for (const entry of readdirSync(folder)) {
      if (FOR_DEVELOPERS.has(entry)) rmSync(join(folder, entry), { recursive: true });
    }
    removeFiles(folder);
    if (existsSync(join(folder, 'node_modules'))) prune(join(folder, 'node_modules'));
  }
}

/** The packages of a folder `node_modules`, without those inside of packages. @param {string} nodeModules */
export function packagesIn(nodeModules) {
  return (
    readdirSync(nodeModules, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .flatMap(({ name }) =>
        name.startsWith('@') ? readdirSync(join(nodeModules, name)).map((inner) => `${name}/${inner}`) : [name],
      )
      .map((name) => ({ name, folder: join(nodeModules, name) }))
      // Workspaces are links.
      .filter(({ folder }) => lstatSync(folder).isDirectory() && existsSync(join(folder, 'package.json')))
  );
}

/** @param {string} name @returns {readonly string[]} */
export function buildsOf(name) {
  const [scope] = name.split('/');
  return OTHER_BUILDS[name] ?? OTHER_BUILDS[`${scope}/*`] ?? [];
}

/** @param {string} folder */
function removeFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') removeFiles(path);
    else if (entry.isFile() && NEVER_LOADED.test(entry.name)) rmSync(path);
  }
}

const [, program, target] = process.argv;
if (target !== undefined && import.meta.url === pathToFileURL(realpathSync(program ?? '')).href) prune(target);
