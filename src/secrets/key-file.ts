import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE_NAME = 'sealing-keys';

/**
 * The encryption keys of the default start, as `parseKeyRing` reads them. @throws Error when others may read their file
 */
export function keysOfDataFolder(folder: string): string {
  return secretOfDataFolder(folder, FILE_NAME, () => `local:${randomBytes(32).toString('base64')}\n`);
}

/**
 * A secret of the default start: stored in the data folder in a file that only its owner may read, and created at the
 * first start. Two processes that start at once agree on one.
 * @throws Error when the folder is not writable, or when others may read the file
 */
export function secretOfDataFolder(folder: string, name: string, make: () => string): string {
  const path = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!existsSync(path)) createKeyFile(path, make());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const cure = 'name a folder that this user may write, or set SECRET_KEYS and CARD_SIGNING_KEYS';
    throw new Error(`DATA_DIR ${folder} cannot be written (${reason}): ${cure}`, { cause });
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(`Other users may read ${path}: run chmod 600 on it, and replace the key`);
  }
  return readFileSync(path, 'utf8');
}

/** Creates the file under another name and links it: the name appears once, and only with the complete file. */
function createKeyFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
}
