import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedRedisError } from '../embedded-redis.error.js';
import { inspectServer, reasonOf, type ServerBinary } from './server-binary.js';

const run = promisify(execFile);

const ON_PATH = ['redis-server', 'valkey-server'] as const;

/**
 * The server program configured by the operator, by path or by name.
 * @throws EmbeddedRedisError `no-usable-server`; there is no fallback to another one
 */
export async function namedServer(name: string): Promise<ServerBinary> {
  try {
    const path = await pathOf(name);
    if (path === undefined) throw new Error('it does not exist or is not executable');
    return await inspectServer(path);
  } catch (error) {
    throw new EmbeddedRedisError('no-usable-server', `The Redis server ${name} cannot be used: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/** The first usable server on the PATH, or undefined. Reports an unusable one. */
export async function installedServer(onProgress: (line: string) => void): Promise<ServerBinary | undefined> {
  for (const name of ON_PATH) {
    const path = await pathOf(name);
    if (path === undefined) continue;
    try {
      return await inspectServer(path);
    } catch (error) {
      onProgress(`${path} cannot be used: ${reasonOf(error)}.`);
    }
  }
  return undefined;
}

/** Absolute path of a program; the shell knows the PATH. */
async function pathOf(name: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('sh', ['-c', 'command -v "$1"', 'sh', name]);
    return resolve(stdout.trim());
  } catch {
    return undefined;
  }
}
