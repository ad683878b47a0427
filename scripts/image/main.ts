/**
 * Builds docker/Dockerfile with buildah, measures the image, and starts it as user 65532 on a read-only root with tokens and a Redis; then
 * the same for docker/own.Dockerfile with a new project: `npm run check:image [-- --packs "echo countdown"] [--bases]`. Needs root,
 * buildah and debootstrap, and no engine. The two base images are made on this machine once (`--bases` makes them again).
 * Exits with 1 when something does not hold.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BUILD_BASE, makeBases, RUN_BASE } from './bases.js';
import { Buildah, MissingToolError } from './buildah.js';
import { builtProject } from './own-project.js';
import { layersOf, megabytes, packageSizes } from './sizes.js';
import { checkOwn, checkStarts, ImageFault } from './start-check.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Outside of the clone, whose tools would walk through its file systems. */
const FOLDER = join(tmpdir(), 'parley-image');
const IMAGE = 'localhost/parley:check';
const OWN_IMAGE = 'localhost/parley:own';
const SHOWN = 10;
const FORM = ['--isolation', 'chroot', '--format', 'docker', '--layers', '--pull-never', '--quiet'];

const { values: options } = parseArgs({
  options: { packs: { type: 'string' }, bases: { type: 'boolean', default: false } },
});

try {
  Buildah.requireTools();
  await check();
} catch (error) {
  if (!(error instanceof MissingToolError || error instanceof ImageFault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();

async function check(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const buildah = new Buildah(FOLDER);
  if (options.bases)
    for (const image of [BUILD_BASE, RUN_BASE]) if (buildah.has(image)) buildah.run(['rmi', '--force', image]);
  timed('base images', () => {
    makeBases(buildah, FOLDER);
  });
  timed('build of docker/Dockerfile', () => {
    build(buildah);
  });
  const oci = join(FOLDER, 'oci');
  rmSync(oci, { recursive: true, force: true });
  const layers = await layersOf(buildah, IMAGE, oci);
  console.log('Layers, unpacked and as they are transferred:');
  for (const { made, packed, unpacked } of layers) console.log(`  ${cell(unpacked)} ${cell(packed)}  ${made}`);
  const sum = (pick: (layer: (typeof layers)[number]) => number): number =>
    layers.reduce((total, layer) => total + pick(layer), 0);
  console.log(`  ${cell(sum(({ unpacked }) => unpacked))} ${cell(sum(({ packed }) => packed))}  in all`);
  const { root, remove } = buildah.mount(IMAGE);
  // No mount is left, also not by an interrupt.
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  showPackages(join(root, 'app/node_modules'));
  console.log('Started, with a read-only root:');
  await checkStarts({ config: buildah.configOf(IMAGE), root, packs: packs() });
  await checkOwnImage(buildah);
}

/** docker/own.Dockerfile, with the project that `parley new` writes. */
async function checkOwnImage(buildah: Buildah): Promise<void> {
  timed('a new project, built, and its image', () => {
    const project = builtProject(ROOT, FOLDER);
    const what = [
      '--build-arg',
      `SERVICE_IMAGE=${IMAGE}`,
      '--tag',
      OWN_IMAGE,
      '--file',
      'docker/own.Dockerfile',
      project,
    ];
    buildah.run(['bud', ...FORM, ...what], { cwd: ROOT });
  });
  const { root, remove } = buildah.mount(OWN_IMAGE);
  process.once('exit', remove);
  console.log('Started, with the skills of the project:');
  await checkOwn({ config: buildah.configOf(OWN_IMAGE), root, packs: [] });
}

/** The service, by docker/Dockerfile. */
function build(buildah: Buildah): void {
  const npm = join(FOLDER, 'npm');
  mkdirSync(npm, { recursive: true });
  // Settings with which npm reaches its registry on this machine, for the stages that install packages only.
  const setting = (name: string): string =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const certificates = setting('cafile');
  const mounted = [
    [npm, '/root/.npm', 'rw'],
    [setting('userconfig'), '/root/.npmrc', 'ro'],
    [certificates, certificates, 'ro'],
  ];
  const volumes = mounted.flatMap(([from = '', to = '', mode = '']) =>
    existsSync(from) ? ['--volume', `${from}:${to}:${mode}`] : [],
  );
  const bases = ['--build-arg', `BUILD_IMAGE=${BUILD_BASE}`, '--build-arg', `RUN_IMAGE=${RUN_BASE}`];
  const kept = options.packs === undefined ? [] : ['--build-arg', `PACKS=${options.packs}`];
  const what = ['--target', 'service', '--tag', IMAGE, '--file', 'docker/Dockerfile', '.'];
  buildah.run(['bud', ...FORM, ...volumes, ...bases, ...kept, ...what], { cwd: ROOT });
}

/** The packs that the image was built with. */
function packs(): readonly string[] {
  const [, byDefault = ''] = /^ARG PACKS="(.*)"$/m.exec(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')) ?? [];
  return (options.packs ?? byDefault).split(' ');
}

/** The largest packages; of the usual packs, the page for operators explains each. @throws ImageFault */
function showPackages(folder: string): void {
  const sizes = packageSizes(folder);
  const largest = sizes.slice(0, SHOWN);
  console.log(
    `${String(sizes.length)} packages, ${megabytes(sizes.reduce((sum, [, bytes]) => sum + bytes, 0))}; the largest:`,
  );
  for (const [name, bytes] of largest) console.log(`  ${cell(bytes)}  ${name}`);
  if (options.packs !== undefined) return;
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const unnamed = largest.filter(([name]) => !page.includes(`\`${name}\``)).map(([name]) => name);
  if (unnamed.length > 0)
    throw new ImageFault(`docs/operations.md does not say what these are for: ${unnamed.join(', ')}`);
}

function timed(what: string, work: () => void): void {
  const began = performance.now();
  work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

function cell(bytes: number): string {
  return megabytes(bytes).padStart(9);
}
