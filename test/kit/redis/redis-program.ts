import { chooseServer } from '../../../src/platform/redis/embedded/program/choose-server.js';
import type { ServerCommand } from '../../../src/platform/redis/embedded/supervised-server.js';

/** The Redis server program that this test run found or fetched: not every machine has one on its PATH. */
export async function redisProgram(): Promise<Pick<ServerCommand, 'command' | 'env'>> {
  const { command } = await chooseServer({ kind: 'redis' });
  return command;
}
