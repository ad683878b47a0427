import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askServer } from './ask-server.js';
import { chooseServer, type ServerChoice } from './program/choose-server.js';
import { isFault, lockDataFolder, unlockDataFolder } from './data-folder-lock.js';
import { EmbeddedRedisError } from './embedded-redis.error.js';
import type { EmbeddedRedisKind, EmbeddedRedisOptions } from './embedded-redis.options.js';
import { freeLoopbackPort } from './free-port.js';
import { endLeftoverServer } from './leftover-server.js';
import { loadingOf, type LoadingWait, StillLoading, untilLoaded } from '../connection/loading.js';
import { serverFolder } from './running-server.js';
import { reasonOf } from './program/server-binary.js';
import { endpointOn, type ServerEndpoint, writeServerConfig } from './server-config.js';
import { SupervisedServer } from './supervised-server.js';

/** A Redis server of this process alone, on the loopback interface. Ends with this process, however that ends. */
export interface EmbeddedRedis {
  /** Holds the password: never log it. */
  readonly url: string;
  readonly kind: EmbeddedRedisKind;
  /** Whether data outlives the server. */
  readonly durable: boolean;
  /** The version of Redis, or the one that it emulates. */
  readonly version: string;
  /** Folder of the server's files. */
  readonly dataDir: string;
  /**
   * Announces that this process will stop it within the given time: a service starting on the same folder waits
   * meanwhile.
   */
  announceStop(withinMs: number): void;
  /** Flushes the data to disk and stops the server. Close all connections first. */
  stop(): Promise<void>;
}

/** Longest wait for the first answer; the wait for loading is bounded separately. */
const ANSWER_TIMEOUT_MS = 60_000;
const LOADING_TIMEOUT_MS = 600_000;
const POLL_MS = 15;
const PORT_ATTEMPTS = 3;

/**
 * Starts a Redis server for this process and waits until it answers.
 * @throws EmbeddedRedisError with one line for the operator
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  // The supervisor's working directory is this folder, so a relative path would be wrong there.
  const folder = serverFolder(options.dataDir);
  // First: where there is none, the folder is not the reason.
  const choice = await chooseServer(options);
  await prepareFolder(folder);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(folder, choice, options);
    } catch (error) {
      // Between choosing a free port and using it, another process can take it.
      const isPortTaken = /address already in use/i.test(reasonOf(error));
      if (isPortTaken && attempt < PORT_ATTEMPTS) continue;
      if (error instanceof EmbeddedRedisError) throw error;
      throw startFailed(reasonOf(error), error);
    }
  }
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(`${folder}${sep}`, constants.W_OK);
  } catch (error) {
    throw new EmbeddedRedisError(
      'data-folder-not-writable',
      `Cannot write to the data folder ${folder}: change its permissions or choose another one (${reasonOf(error)}).`,
      { cause: error },
    );
  }
}

// Not with mkdir's own `recursive`, which Node repeats for ever where the parent is there and answers ENOENT, as /proc.
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!isFault(error, 'EEXIST')) throw error;
  }
}

async function launch(
  folder: string,
  { kind, command }: ServerChoice,
  { loading, onProgress }: EmbeddedRedisOptions,
): Promise<EmbeddedRedis> {
  const lock = await lockDataFolder(folder, onProgress);
  let server: SupervisedServer;
  let endpoint: ServerEndpoint;
  try {
    await endLeftoverServer(folder);
    endpoint = endpointOn(await freeLoopbackPort());
    await writeServerConfig(folder, endpoint);
    server = new SupervisedServer(folder, command, lock);
  } catch (error) {
    await unlockDataFolder(lock);
    throw error;
  }
  try {
    const version = await untilReady(endpoint, server, { mostMs: LOADING_TIMEOUT_MS, ...loading });
    const url = `redis://:${endpoint.password}@127.0.0.1:${endpoint.port}`;
    return {
      ...{ url, kind, durable: kind === 'redis', version, dataDir: folder },
      announceStop: (withinMs) => {
        server.announceEnd(withinMs);
      },
      stop: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Resolves with the server's version as soon as it has all its data. */
async function untilReady(endpoint: ServerEndpoint, server: SupervisedServer, wait: LoadingWait): Promise<string> {
  const info = await firstAnswer(endpoint, server);
  const launched = fieldOf(info, 'run_id');
  try {
    await untilLoaded(async () => {
      const hasEnded = server.hasEnded;
      const now = await askServer(endpoint, 'INFO').catch(() => undefined);
      // A server that cannot read its data ends while loading, and its supervisor restarts it repeatedly.
      if (hasEnded || (now !== undefined && fieldOf(now, 'run_id') !== launched)) throw await lastWordsOf(server);
      return now === undefined ? 'silent' : loadingOf(now);
    }, wait);
  } catch (error) {
    throw error instanceof StillLoading ? startFailed(`it ${error.message}`, error) : error;
  }
  return fieldOf(info, 'redis_version') ?? 'unknown';
}

/** Facts from the server as soon as it listens; it may still be loading its data. */
async function firstAnswer(endpoint: ServerEndpoint, server: SupervisedServer): Promise<string> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  while (Date.now() < deadline) {
    // Read before asking: a server that ended since then has had its chance to answer.
    const isLastAttempt = server.hasEnded;
    try {
      return await askServer(endpoint, 'INFO');
    } catch {
      if (isLastAttempt) throw await lastWordsOf(server);
    }
    await pause(POLL_MS);
  }
  throw startFailed(`it did not answer within ${ANSWER_TIMEOUT_MS / 1000} s`);
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
}

async function lastWordsOf(server: SupervisedServer): Promise<EmbeddedRedisError> {
  return startFailed(`${await server.lastWords()} (see ${server.logFile})`);
}

function startFailed(reason: string, cause?: unknown): EmbeddedRedisError {
  return new EmbeddedRedisError('start-failed', `The embedded Redis did not start: ${reason}.`, { cause });
}
