import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Redis or Valkey server program of this machine that has been run successfully. */
export interface ServerBinary {
  /** Absolute path. */
  readonly path: string;
  /** Environment for the dynamic linker. */
  readonly env: Readonly<Record<string, string>>;
}

/** BullMQ needs the commands of Redis 6.2. */
const OLDEST: readonly [number, number] = [6, 2];
const RUN_TIMEOUT_MS = 5000;

/**
 * Checks that a program can be run, is a Redis or Valkey server, and is new enough.
 * @throws Error with the reason, in a form that completes "cannot be used: …"
 */
export async function inspectServer(path: string): Promise<ServerBinary> {
  const env = libraryPathOf(path);
  const { stdout } = await run(path, ['--version'], { env, timeout: RUN_TIMEOUT_MS }).catch((error: unknown) => {
    throw new Error(reasonOf(error), { cause: error });
  });
  const [, major, minor] = /\bv=(\d+)\.(\d+)/.exec(stdout) ?? [];
  if (major === undefined || minor === undefined) throw new Error('it is not a Redis server');
  const version = [Number(major), Number(minor)] as const;
  if (version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1])) {
    throw new Error(`version ${major}.${minor} is too old, ${OLDEST.join('.')} or newer is needed`);
  }
  return { path, env };
}

/** A server that was unpacked instead of installed has its libraries in `lib` beside it. */
function libraryPathOf(path: string): ServerBinary['env'] {
  const libraries = join(dirname(realpathSync(path)), 'lib');
  return existsSync(libraries) ? { LD_LIBRARY_PATH: libraries } : {};
}

/** The meaningful line of an error: a failed program's own output rather than its command line. */
export function reasonOf(error: unknown): string {
  const words = textMember(error, 'stderr') || textMember(error, 'message') || String(error);
  return words.split('\n').at(-1) ?? words;
}

function textMember(error: unknown, name: 'stderr' | 'message'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value.trim() : '';
}
