import { setTimeout as pause } from 'node:timers/promises';
import { askServer } from './ask-server.js';
import { EmbeddedRedisError } from './embedded-redis.error.js';
import { readServerEndpoint, type ServerEndpoint } from './server-config.js';

const TIMEOUT_MS = 10_000;
const POLL_MS = 50;

/**
 * Ends a server that still runs on the folder because its supervisor was killed before it could end it: two servers
 * must never write the same files. Found by its port and password, so that no stranger's process is ever touched.
 * @throws EmbeddedRedisError `data-folder-in-use` when it does not end
 */
export async function endLeftoverServer(folder: string): Promise<void> {
  const leftover = await readServerEndpoint(folder);
  if (leftover === undefined || !(await isAlive(leftover))) return;
  // A server that shuts down closes the connection instead of replying.
  await askServer(leftover, 'SHUTDOWN').catch(() => undefined);
  const deadline = Date.now() + TIMEOUT_MS;
  while (await isAlive(leftover)) {
    if (Date.now() > deadline) {
      throw new EmbeddedRedisError(
        'data-folder-in-use',
        `A Redis server of an earlier run still uses ${folder} and does not end: end the one on port ${leftover.port}.`,
      );
    }
    await pause(POLL_MS);
  }
}

/** A server that loads a large file replies only between two parts of it: a timeout is retried. */
async function isAlive(endpoint: ServerEndpoint): Promise<boolean> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      await askServer(endpoint, 'PING');
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      if (reason.startsWith('LOADING')) return true;
      // Refused, or the reply of another program: the listener there does not know the password.
      if (!/timed out|ETIMEDOUT/.test(reason) || Date.now() > deadline) return false;
    }
  }
}
