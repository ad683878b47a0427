import { randomUUID } from 'node:crypto';
import { constants, copyFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedRedisError } from './embedded-redis.error.js';

/** The right to run a server on a data folder. The supervisor keeps it alive by touching the file, and removes it. */
export interface DataFolderLock {
  readonly file: string;
  readonly token: string;
}

interface Owner {
  /** The service process that the server runs for. */
  readonly pid: number;
  readonly host: string;
  readonly token: string;
  /** Set by the supervisor when the service has gone, or needs no server any more. */
  readonly isEnding?: boolean;
  /** Set at shutdown of the service: the time by which it will have ended, ms since 1970. */
  readonly endsBy?: number;
}

/** Six missed heartbeats of the supervisor: the lock is stale. */
const STALE_AFTER_MS = 3000;
const POLL_MS = 50;
/** Longer than a supervisor gives its server to end. */
const LEFTOVER_TIMEOUT_MS = 15_000;

/**
 * Takes the lock of a data folder, so that two services never write the same files. Waits for a server that is ending,
 * and takes over a stale lock.
 *
 * A process id cannot show that a lock is stale: containers that share a folder have separate ids, and ids are reused.
 * @throws EmbeddedRedisError `data-folder-in-use`, naming the process with the lock
 */
export async function lockDataFolder(folder: string, onProgress?: (line: string) => void): Promise<DataFolderLock> {
  const lock = { file: join(folder, 'owner.json'), token: randomUUID() };
  const begun = Date.now();
  let isAnnounced = false;
  while (!(await tryCreate(lock))) {
    const seen = await readOwner(lock.file);
    if (!(await isKeptAlive(lock.file))) {
      await removeStale(lock.file, seen);
      continue;
    }
    // Read again: a server that began to end meanwhile has touched the file as well.
    const owner = await readOwner(lock.file);
    if (owner === undefined) continue;
    if (!isLeaving(owner, begun)) throw new EmbeddedRedisError('data-folder-in-use', inUse(folder, owner));
    if (!isAnnounced) onProgress?.(`Waiting for ${nameOf(owner)} to give the data folder free: it is ending.`);
    isAnnounced = true;
  }
  return lock;
}

/** Releases a lock that no supervisor has taken over. */
export async function unlockDataFolder(lock: DataFolderLock): Promise<void> {
  await rm(lock.file, { force: true });
}

async function tryCreate({ file, token }: DataFolderLock): Promise<boolean> {
  const owner: Owner = { pid: process.pid, host: hostname(), token };
  try {
    await writeFile(file, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isFault(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Undefined when the file is gone or just being written. */
async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

async function isKeptAlive(file: string): Promise<boolean> {
  const first = await touchedAt(file);
  const deadline = Date.now() + STALE_AFTER_MS;
  while (Date.now() < deadline) {
    const now = await touchedAt(file);
    if (now === undefined) return false;
    if (now !== first) return true;
    await pause(POLL_MS);
  }
  return false;
}

async function touchedAt(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** Renames the file before checking it again: if two services find the same stale lock, only one removes it. */
async function removeStale(file: string, stale: Owner | undefined): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (isFault(error, 'ENOENT')) return;
    throw error;
  }
  const moved = await readOwner(aside);
  if (moved?.token !== stale?.token) {
    // Another service was faster, and this is its new lock.
    await copyFile(aside, file, constants.COPYFILE_EXCL).catch(() => undefined);
  }
  await rm(aside, { force: true });
}

/** Whether the owner will release the lock soon: it announced its end, or its supervisor ends the server. */
function isLeaving({ isEnding, endsBy }: Owner, begun: number): boolean {
  const gone = Math.max(isEnding === true ? begun : 0, endsBy ?? 0);
  return Date.now() < gone + LEFTOVER_TIMEOUT_MS;
}

function inUse(folder: string, owner: Owner): string {
  return `The data folder ${folder} is in use by ${nameOf(owner)}: end that service first, or choose another data folder.`;
}

function nameOf({ pid, host }: Owner): string {
  return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

export function isFault(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
