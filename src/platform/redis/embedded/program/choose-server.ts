import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { EmbeddedRedisError } from '../embedded-redis.error.js';
import type { EmbeddedRedisKind, EmbeddedRedisOptions } from '../embedded-redis.options.js';
import { installedServer, namedServer } from './find-server.js';
import type { ServerBinary } from './server-binary.js';
import { CONFIG_FILE } from '../server-config.js';
import type { ServerCommand } from '../supervised-server.js';
import { cachedServer, unpackServer } from './unpack-debian.js';

/** The server program to run, and its description. */
export interface ServerChoice {
  readonly kind: EmbeddedRedisKind;
  readonly command: ServerCommand;
}

/** Search options, independent of the data folder. */
type SearchOptions = Omit<EmbeddedRedisOptions, 'dataDir'>;

const JAVASCRIPT_SERVER = fileURLToPath(new URL('../javascript-server.mjs', import.meta.url));

/**
 * The server to run: the configured one, else one on the PATH, else the one in the cache folder, else one unpacked from
 * the distribution's packages, and finally the one in JavaScript.
 * @throws EmbeddedRedisError `no-usable-server` when a configured or required one is missing
 */
export async function chooseServer(options: SearchOptions): Promise<ServerChoice> {
  const { kind, onProgress = () => undefined } = options;
  const binary = kind === 'javascript' ? undefined : await findBinary(options, onProgress);
  if (binary !== undefined) {
    return { kind: 'redis', command: { command: binary.path, args: [CONFIG_FILE], env: binary.env } };
  }
  if (kind === 'redis') {
    throw new EmbeddedRedisError(
      'no-usable-server',
      'No Redis server was found: install redis-server or valkey-server 6.2 or newer, or name one.',
    );
  }
  if (!isJavascriptServerInstalled()) {
    throw new EmbeddedRedisError(
      'no-usable-server',
      'There is no Redis server here: install redis-server or valkey-server 6.2 or newer, or set REDIS_URL.',
    );
  }
  return {
    kind: 'javascript',
    command: { command: process.execPath, args: [JAVASCRIPT_SERVER, CONFIG_FILE], env: {} },
  };
}

/** The image leaves its package out. */
function isJavascriptServerInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('js-redis-server/core');
    return true;
  } catch {
    return false;
  }
}

async function findBinary(
  options: SearchOptions,
  onProgress: (line: string) => void,
): Promise<ServerBinary | undefined> {
  const { serverBinary, allowUnpack = true, cacheDir } = options;
  if (serverBinary !== undefined) return namedServer(serverBinary);
  const cache = cacheDir === undefined ? {} : { cacheDir };
  const present = (await installedServer(onProgress)) ?? (await cachedServer(cache));
  if (present !== undefined || !allowUnpack) return present;
  return unpackServer({ ...cache, onProgress });
}
