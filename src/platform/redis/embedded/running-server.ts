import { resolve } from 'node:path';
import { askServer } from './ask-server.js';
import { readServerEndpoint } from './server-config.js';

/** The folder of the server's own files within the data folder. */
export function serverFolder(dataDir: string): string {
  return resolve(dataDir, 'redis');
}

/**
 * The address of the embedded server that runs on a data folder, with its password; undefined if none answers. For
 * commands of the same user on the same machine: other users cannot read the password.
 */
export async function runningServerUrl(dataDir: string): Promise<string | undefined> {
  const endpoint = await readServerEndpoint(serverFolder(dataDir));
  if (endpoint === undefined) return undefined;
  try {
    await askServer(endpoint, 'PING');
    return `redis://:${endpoint.password}@127.0.0.1:${endpoint.port}`;
  } catch {
    return undefined;
  }
}
