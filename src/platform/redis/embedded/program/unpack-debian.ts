import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inspectServer, reasonOf, type ServerBinary } from './server-binary.js';

const run = promisify(execFile);

/**
 * Debian's `redis-server` package is only a link to this program of `redis-tools`: it acts by the name it is called by.
 */
const PACKAGE = 'redis-tools';
const SERVER_PROGRAM = join('usr', 'bin', 'redis-check-rdb');
/** Never unpacked: the C library of this machine, and a package that only has a set-up script. */
const NOT_NEEDED = ['libc6', 'adduser'];

const TOOLS = ['/usr/bin/apt-get', '/usr/bin/dpkg-deb'];

const UPDATE_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;

export interface UnpackOptions {
  /** Folder of this user that outlives the service; default `.cache/parley` in the home folder. */
  readonly cacheDir?: string;
  readonly onProgress: (line: string) => void;
}

/** The server in the cache folder, or undefined when none has been unpacked for this system yet. */
export async function cachedServer({ cacheDir }: Pick<UnpackOptions, 'cacheDir'>): Promise<ServerBinary | undefined> {
  const system = await debianRelease();
  if (system === undefined) return undefined;
  return inspectFolder(cacheFolder(cacheDir, system)).catch(() => undefined);
}

/**
 * On Debian and its kin, fetches the distribution's own Redis packages with the distribution's own tools and
 * signatures, and unpacks them into the cache folder. Installs nothing, needs no root. Undefined elsewhere, or when it
 * fails.
 */
export async function unpackServer({ cacheDir, onProgress }: UnpackOptions): Promise<ServerBinary | undefined> {
  const system = await debianRelease();
  if (system === undefined) return undefined;
  const target = cacheFolder(cacheDir, system);
  onProgress(`No Redis server on this machine: unpacking the one of ${system} into ${target} (once, some seconds).`);
  try {
    const parent = join(target, '..');
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const workspace = await mkdtemp(join(parent, '.unpack-'));
    try {
      return await publish(await unpackInto(workspace), target);
    } finally {
      await rm(workspace, { recursive: true, force: true });
    }
  } catch (error) {
    onProgress(`That did not work: ${reasonOf(error)}.`);
    return undefined;
  }
}

/** `debian-12`, `ubuntu-24.04` …; undefined without apt. */
async function debianRelease(): Promise<string | undefined> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string): string => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(release)?.[1] ?? '';
  if (!/\b(debian|ubuntu)\b/.test(`${field('ID')} ${field('ID_LIKE')}`)) return undefined;
  // A distroless image is of Debian, and has neither.
  if (!TOOLS.every((tool) => existsSync(tool))) return undefined;
  return [field('ID'), field('VERSION_ID')].filter((it) => it !== '').join('-');
}

function cacheFolder(cacheDir: string | undefined, system: string): string {
  return join(cacheDir ?? join(homedir(), '.cache', 'parley'), `redis-${system}-${process.arch}`);
}

/** Fetches and unpacks the packages below `workspace`; returns the folder with `redis-server` and `lib/`. */
async function unpackInto(workspace: string): Promise<string> {
  const apt = await privateApt(workspace);
  // Its hooks may fail for lack of permission after the lists arrived; the download shows whether they did.
  await apt(['update'], UPDATE_TIMEOUT_MS).catch(() => undefined);
  await apt(['download', PACKAGE], DOWNLOAD_TIMEOUT_MS);
  await apt(['download', ...(await libraryPackages(workspace))], DOWNLOAD_TIMEOUT_MS);

  const files = join(workspace, 'files');
  for (const name of await packageFiles(workspace)) await run('dpkg-deb', ['-x', join(workspace, name), files]);

  const folder = join(workspace, 'server');
  await mkdir(join(folder, 'lib'), { recursive: true });
  await rename(join(files, SERVER_PROGRAM), join(folder, 'redis-server'));
  await chmod(join(folder, 'redis-server'), 0o755);
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true })) {
    if (!/\.so(\.\d+)*$/.test(entry.name)) continue;
    await rename(join(entry.parentPath, entry.name), join(folder, 'lib', entry.name));
  }
  return folder;
}

type Apt = (args: readonly string[], timeout: number) => Promise<unknown>;

/** apt with the machine's sources and keys, but lists and caches of its own, and without its own user for downloads. */
async function privateApt(workspace: string): Promise<Apt> {
  const state = join(workspace, 'state');
  const cache = join(workspace, 'cache');
  await mkdir(join(state, 'lists', 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const options = [
    `Dir::State=${state}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${cache}`,
    // Run by root, apt would download as a user that may not write here.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    'Acquire::http::Timeout=10',
    'Acquire::https::Timeout=10',
    'Acquire::Retries=1',
  ].flatMap((option) => ['-o', option]);
  return (args, timeout) => run('apt-get', ['-qq', ...options, ...args], { cwd: workspace, timeout });
}

async function libraryPackages(workspace: string): Promise<readonly string[]> {
  const [file = ''] = await packageFiles(workspace);
  const { stdout } = await run('dpkg-deb', ['-f', join(workspace, file), 'Depends']);
  return stdout
    .split(',')
    .map((dependency) => dependency.trim().split(/[\s:(|]/, 1)[0] ?? '')
    .filter((name) => name !== '' && !NOT_NEEDED.includes(name));
}

async function packageFiles(workspace: string): Promise<readonly string[]> {
  return (await readdir(workspace)).filter((name) => name.endsWith('.deb'));
}

/** Renames the finished folder into place: if two services unpack at once, the first wins. */
async function publish(folder: string, target: string): Promise<ServerBinary> {
  await inspectFolder(folder);
  try {
    await rename(folder, target);
  } catch {
    const winner = await inspectFolder(target).catch(() => undefined);
    if (winner !== undefined) return winner;
    // An unusable leftover: a usable one would have been found above.
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  }
  return inspectFolder(target);
}

async function inspectFolder(folder: string): Promise<ServerBinary> {
  return inspectServer(join(folder, 'redis-server'));
}
