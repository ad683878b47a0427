/**
 * Does in clean folders what the stages of docker/Dockerfile do, with the Node of this machine: builds, installs the
 * production packages, puts together the image's files, starts them read-only, and checks probes, card and `doctor`. Prints
 * the size. Needs no Docker; the start uses an embedded Redis.
 *
 *   node scripts/check-image-stages.mjs [PACKS]      PACKS is the build argument, for example "echo countdown"
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const READY_MS = 90_000;
/** The build argument; undefined: the default of the Dockerfile. */
const PACKS = process.argv[2];
const work = mkdtempSync(join(tmpdir(), 'parley-image-'));

try {
  const commands = runLines();
  const build = stage('build', ['package.json', 'package-lock.json', '.npmrc', ...filesOf('build')]);
  for (const command of commands.build ?? []) run(command, build);
  const packages = stage('packages', ['package.json', 'package-lock.json', '.npmrc', ...filesOf('packages')]);
  for (const command of commands.packages ?? []) run(command, packages);
  assertOnlyPackagesOf(packs(), packages);
  const image = stage('service', ['package.json']);
  cpSync(join(packages, 'node_modules'), join(image, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  cpSync(join(build, 'dist'), join(image, 'dist'), { recursive: true });
  const megabytes = (/** @type {string} */ folder) => `${Math.round(sizeOf(join(image, folder)) / 1024 ** 2)} MB`;
  console.log(`node_modules ${megabytes('node_modules')}, dist ${megabytes('dist')}`);
  await assertStarts(image);
  console.log('The stages build, and what they build starts, is ready, has a sound configuration, and ends in order');
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The packs of this image. @returns {string[]} */
function packs() {
  const [, byDefault = ''] = /^ARG PACKS="(.*)"$/m.exec(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')) ?? [];
  return (PACKS ?? byDefault).split(' ');
}

/** No package of a pack that is left out is installed. @param {string[]} kept @param {string} folder */
function assertOnlyPackagesOf(kept, folder) {
  const packages = (/** @type {string} */ path) => {
    const file = join(ROOT, path, 'package.json');
    return existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {}) : [];
  };
  const wanted = new Set(['.', ...kept.map((name) => `skills/${name}`)].flatMap(packages));
  const leftOut = readdirSync(join(ROOT, 'skills')).filter((name) => !kept.includes(name));
  const unwanted = leftOut.flatMap((name) => packages(`skills/${name}`)).filter((name) => !wanted.has(name));
  const { packages: installed } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const names = Object.keys(installed).map((path) => path.split('node_modules/').at(-1));
  const found = unwanted.filter((name) => names.includes(name));
  if (found.length > 0) throw new Error(`the image has packages of packs that it does not have: ${found.join(', ')}`);
  console.log(
    `${names.length} packages, packs: ${kept.join(', ')}; not installed: ${unwanted.join(', ') || 'nothing'}`,
  );
}

/** The RUN lines of the Dockerfile by stage. @returns {Record<string, string[]>} */
function runLines() {
  /** @type {Record<string, string[]>} */
  const commands = {};
  let name = '';
  for (const line of readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8').split('\n')) {
    name = /^FROM \S+ AS (\S+)$/.exec(line)?.[1] ?? name;
    const command = /^RUN (.+)$/.exec(line)?.[1];
    if (command !== undefined) commands[name] = [...(commands[name] ?? []), command];
  }
  return commands;
}

/** What the stage copies besides the package files. @param {string} wanted @returns {string[]} */
function filesOf(wanted) {
  const text = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  const [, body = ''] = new RegExp(`^FROM \\S+ AS ${wanted}$([\\s\\S]*?)(?=^FROM )`, 'm').exec(text) ?? [];
  return [...body.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
}

/** A folder with these files. @param {string} name @param {string[]} files */
function stage(name, files) {
  const folder = join(work, name);
  for (const file of new Set(files)) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  return folder;
}

/** @param {string} command @param {string} cwd */
function run(command, cwd) {
  console.log(`== ${command}`);
  const env = { ...process.env, PACKS: packs().join(' ') };
  execFileSync('sh', ['-ec', command], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string} image */
async function assertStarts(image) {
  const port = await freePort();
  const data = join(work, 'data');
  for (const path of [image, join(image, 'dist')]) chmodSync(path, 0o555);
  const { PATH = '' } = process.env;
  const env = { PATH, NODE_ENV: 'production', PORT: String(port), DATA_DIR: data, LOG_LEVEL: 'warn' };
  const service = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
    cwd: image,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise((resolve) => service.once('exit', resolve));
  try {
    await ready(`http://127.0.0.1:${port}/health/ready`);
    const card = await (await fetch(`http://127.0.0.1:${port}/.well-known/agent-card.json`)).json();
    console.log(`skills: ${card.skills.map((/** @type {{ id: string }} */ { id }) => id).join(', ')}`);
    // Exits with 1, which throws here, when a check fails: also when the card has other skills than the image.
    console.log(
      execFileSync(process.execPath, ['dist/cli/parley.js', 'ops', 'doctor'], { cwd: image, env, encoding: 'utf8' }),
    );
    service.kill('SIGTERM');
    const code = await exited;
    if (code !== 0) throw new Error(`the service ended with ${String(code)}`);
  } finally {
    service.kill('SIGKILL');
    for (const path of [join(image, 'dist'), image]) chmodSync(path, 0o755);
  }
}

/** @param {string} url */
async function ready(url) {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return;
    if (Date.now() > deadline) throw new Error(`${url} does not answer 200`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject()));
    });
  });
}

/** Bytes of the files below. @param {string} path @returns {number} */
function sizeOf(path) {
  if (!existsSync(path)) return 0;
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
