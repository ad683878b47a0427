import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Loopback port and password of the server. */
export interface ServerEndpoint {
  readonly port: number;
  readonly password: string;
}

/** The configuration file's name in the data folder, which is the server's working folder. */
export const CONFIG_FILE = 'redis.conf';

/** A new endpoint with a random password. */
export function endpointOn(port: number): ServerEndpoint {
  return { port, password: randomBytes(24).toString('base64url') };
}

/**
 * Writes the configuration file, readable by this user only: the password must not be seen in the list of processes.
 */
export async function writeServerConfig(folder: string, { port, password }: ServerEndpoint): Promise<void> {
  const file = join(folder, CONFIG_FILE);
  await rm(file, { force: true });
  await writeFile(file, configText({ port, password }), { mode: 0o600, flag: 'wx' });
}

/** The endpoint of the server that was last started on the folder, or undefined for a folder without one. */
export async function readServerEndpoint(folder: string): Promise<ServerEndpoint | undefined> {
  const text = await readFile(join(folder, CONFIG_FILE), 'utf8').catch(() => '');
  const port = /^port (\d+)$/m.exec(text)?.[1];
  const password = /^requirepass (\S+)$/m.exec(text)?.[1];
  if (port === undefined || password === undefined) return undefined;
  return { port: Number(port), password };
}

function configText({ port, password }: ServerEndpoint): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    'daemonize no',
    'dir .',
    // Every write is on the disk within a second; the append-only file makes snapshots needless.
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    // Keys of a queue must never be evicted.
    'maxmemory-policy noeviction',
    // Bytes allocated per node of an event stream; Redis' default is 4 KiB.
    'stream-node-max-bytes 1024',
    '',
  ].join('\n');
}
