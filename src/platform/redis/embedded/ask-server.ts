import { Redis } from 'ioredis';
import type { ServerEndpoint } from './server-config.js';

const ANSWER_TIMEOUT_MS = 1000;

/**
 * Sends one command on a connection of its own. Rejects when nothing listens, the password is wrong, or it takes over 1
 * s.
 */
export async function askServer(
  { port, password }: ServerEndpoint,
  command: string,
  ...args: string[]
): Promise<string> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password,
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_TIMEOUT_MS,
    commandTimeout: ANSWER_TIMEOUT_MS,
    // After a refused connection this timer runs in full, and keeps the process alive: 2 s by default.
    disconnectTimeout: 50,
  });
  // The same failure rejects below; without a listener it would be printed as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return String(await client.call(command, ...args));
  } finally {
    client.disconnect();
  }
}
